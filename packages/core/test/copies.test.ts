import { beforeEach, describe, expect, it, vi } from 'vitest';
import type * as extend from '../src/extend.js';
import * as own from '../src/index.js';
import { start } from './support/start.js';

/** Evaluates the package again, as a second installed version would. */
async function loadCopy(): Promise<typeof own> {
  vi.resetModules();
  return import('../src/index.js');
}

let other: typeof own;
let otherExtend: typeof extend;
beforeEach(async () => {
  other = await loadCopy();
  otherExtend = await import('../src/extend.js');
});

const EXPLANATION =
  'It belongs to another copy of @fairlead/core. The copies are src/setup/package-copies.ts and src/setup/package-copies.ts. To fix it, install one version of @fairlead/core. `npm ls @fairlead/core` shows which packages need which version, and `npm dedupe` removes unnecessary copies.';

/** Hides that middleware is of another copy, as a function of a library that calls it does. */
function wrapped(middleware: own.Middleware): own.Middleware {
  return (ctx, next) => middleware(ctx, next);
}

describe('two copies of the package', () => {
  it.each<[string, () => own.Middleware]>([
    ['json', () => other.json()],
    ['text', () => other.text()],
    ['raw', () => other.raw()],
    ['urlencoded', () => other.urlencoded()],
    ['errorHandler', () => other.errorHandler()],
    ['notFoundHandler', () => other.notFoundHandler()],
  ])('name each other when one uses the middleware %s of the other', (name, create) => {
    const calls = {
      'app.use()': () => own.createApp().use(create()),
      'router.use()': () => own.createRouter().use(create()),
      "app.get('/')": () => own.createApp().get('/', create(), () => 1),
    };
    for (const [call, register] of Object.entries(calls)) {
      const message = `${call} received the function ${name}. ${EXPLANATION}`;
      expect(() => start(register())).toThrow(
        expect.objectContaining({
          code: 'INVALID_MIDDLEWARE',
          message: expect.stringContaining(message),
        }),
      );
    }
  });

  it('name each other when one mounts a router of the other', () => {
    const router: unknown = other.createRouter();
    const message = `app.route('/a') cannot mount the router. ${EXPLANATION}`;
    expect(() => start(own.createApp().route('/a', router as own.Router))).toThrow(
      expect.objectContaining({
        code: 'INVALID_ROUTER',
        message: expect.stringContaining(message),
      }),
    );
  });

  it('name each other when one listens for an application of the other', async () => {
    const app: unknown = other.createApp();
    const message = `listen() cannot use an instance of Application as app. ${EXPLANATION}`;
    await expect(own.listen(app as own.Application, 0)).rejects.toThrow(message);
  });

  it.each<[string, own.Middleware]>([
    ['json()', wrapped((ctx, next) => other.json()(ctx, next))],
    ['errorHandler()', wrapped((ctx, next) => other.errorHandler()(ctx, next))],
    ['notFoundHandler()', wrapped((ctx, next) => other.notFoundHandler()(ctx, next))],
    ['requireParsedBody()', (ctx) => otherExtend.requireParsedBody(ctx)],
  ])('name each other when a library passes a context to %s of the other', async (call, use) => {
    const onError = vi.fn();
    const app = own.createApp({ onError }).use(use);
    const headers = { 'Content-Type': 'application/json' };
    const response = await app.request('/', { method: 'POST', headers, body: '{}' });
    expect(response.status).toBe(500);
    expect(onError.mock.calls.map(([error]) => error)).toEqual([
      expect.objectContaining({
        code: 'MIXED_COPIES',
        message: `${call} cannot use the context of the request. ${EXPLANATION}`,
      }),
    ]);
  });

  it('recognize errors of each other', async () => {
    const app = own.createApp().get('/', () => {
      throw new other.ConflictError('Taken.', { code: 'TAKEN' });
    });
    const response = await app.request('/');
    expect([response.status, await response.json()]).toMatchObject([409, { code: 'TAKEN' }]);
  });
});

it('what needs a context names another argument', () => {
  expect(() => own.errorHandler()({} as own.Context, async () => {})).toThrow(
    new TypeError('errorHandler() received an object instead of a context. Pass it ctx.'),
  );
});
