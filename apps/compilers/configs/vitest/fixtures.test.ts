import { expect, it } from 'vitest';

it('runs', () => expect(import('./src/main.js')).resolves.toBeDefined());
