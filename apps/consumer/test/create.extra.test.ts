import { it } from 'vitest';
import { check, create } from './support/created.js';

it.concurrent.for(['rest-api --auth', 'rest-api --database postgres'])(
  '%s, with npm',
  async (options, context) => {
    await check(await create(context, options, 'npm'), 'npm');
  },
);
