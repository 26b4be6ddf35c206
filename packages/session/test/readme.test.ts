import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createApp, type HttpError, type Middleware } from '@fairlead/core';
import { errorsOf } from '@fairlead/test-support/errors-page';
import { expect, it } from 'vitest';
import { createMemoryStore, type Session, type SessionOptions, session } from '../src/index.js';
import { NEW_KEY } from './support/keys.js';

const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');

it("the README's tables list every option and member", () => {
  const options: Readonly<Record<keyof SessionOptions, true>> = {
    keys: true,
    store: true,
    user: true,
    name: true,
    idleTimeout: true,
    lifetime: true,
    persistent: true,
    secure: true,
    sameSite: true,
    domain: true,
    path: true,
    storeTimeout: true,
    maxBytes: true,
  };
  const members: Readonly<Record<keyof Session, true>> = {
    get: true,
    set: true,
    rotate: true,
    destroy: true,
    destroyOthers: true,
    id: true,
  };
  const listed = [...readme.matchAll(/^\| `([a-z]\w+)\b[^`]*` /gm)].map(([, name]) => name);
  expect(listed).toEqual([...Object.keys(members), ...Object.keys(options)]);
});

it("the README's command creates a key", () => {
  const [, code = ''] = /`node -p "(.+?)"`/.exec(readme) ?? [];
  const key = execFileSync(process.execPath, ['-p', code], { encoding: 'utf8' }).trim();
  expect(session({ keys: [key] })).toBeTypeOf('function');
  expect(Buffer.from(key, 'base64url')).toHaveLength(32);
});

it('docs/errors.md lists every error with its code and status', async () => {
  const errors: unknown[] = [];
  const keep: Middleware = async (ctx, next) => {
    ctx.send('');
    try {
      await next();
    } catch (error) {
      errors.push(error);
    }
  };
  const run = async (options: SessionOptions, use: Middleware<{ session: Session }>) => {
    const app = createApp()
      .use(keep, (_ctx, next) => session(options)(_ctx as never, next))
      .use(use as Middleware);
    await app.request('/', { headers: { Cookie: `__Host-Http-session=${'A'.repeat(43)}` } });
  };
  const works = createMemoryStore();
  const ended = { ...works, read: async () => `[${Date.now()},{},"__Host-Http-session"]` };
  let reads = 0;
  const store = {
    ...ended,
    read: async () => {
      reads += 1;
      return reads === 1 ? ended.read() : undefined;
    },
  };
  await run({ store }, ({ state }) => state.session.set('a', 1));
  await run({ keys: [NEW_KEY] }, (ctx) => {
    ctx.state.session.set('a', 1);
    ctx.takeOver().end();
  });
  await run({ store: works }, ({ state }) => state.session.destroyOthers());
  await run({ store: works }, ({ state }) => state.session.set('a', 1n));
  await run({ keys: [NEW_KEY], path: '/a' }, ({ state }) => state.session.set('a', 1));
  await run({ store: works, maxBytes: 10 }, ({ state }) => state.session.set('a', 'x'));
  await run({ keys: [NEW_KEY] }, ({ state }) => state.session.set('a', 'x'.repeat(5_000)));
  const read = () => Promise.reject(new Error('down'));
  await run({ store: { ...works, read } }, () => undefined);
  await run({}, () => undefined);

  const rows = errorsOf('session').matchAll(/^\| `(\w+Error)` +\| `([A-Z_]+)` +\| (\d*) *\|/gm);
  expect([...rows].map(([, name, code, status]) => [name, code, status])).toEqual(
    (errors as HttpError[]).map(({ name, code, status = '' }) => [name, code, String(status)]),
  );
});
