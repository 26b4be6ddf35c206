import type { Context, Next } from '@fairlead/core';
import { createContainer, token } from '@fairlead/di';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  applyDecorators,
  buildRoutes,
  ControllerRegistry,
  defineController,
  HttpCode,
  RequestContext,
  SetHeader,
} from '../src/index.js';
import { serve } from './support/serve.js';
import { writeTree } from './support/tree.js';

const IMPORT = "import { defineController } from '../../src/index.js';";

const value = (prefix: string) =>
  `defineController('${prefix}', { routes: ({ get }) => ({ read: get('/', () => '${prefix}') }) });`;

/** A service without decorators: one for each request. */
class Visit {
  static inject = [RequestContext];
  static scope = 'request';
  static count = 0;
  readonly number = ++Visit.count;
  readonly path: string;

  constructor({ path }: RequestContext) {
    this.path = path;
  }
}

/** A guard, a middleware and an interceptor without decorators. */
class Recorded {
  static inject = [Visit];
  static scope = 'request';
  readonly #visit: Visit;

  constructor(visit: Visit) {
    this.#visit = visit;
  }

  #record(ctx: Context, name: string) {
    ctx.append('X-Visit', `${name} ${this.#visit.number}`);
  }

  use(ctx: Context, next: Next) {
    this.#record(ctx, 'middleware');
    return next();
  }

  canActivate(ctx: Context) {
    this.#record(ctx, 'guard');
    return true;
  }

  intercept(ctx: Context, next: () => unknown) {
    this.#record(ctx, 'interceptor');
    return next();
  }
}

describe('a value', () => {
  it('can inject services and use classes per request, without any decorator', async () => {
    const visits = defineController('/visits', {
      scope: 'request',
      inject: { visit: Visit },
      guards: [Recorded],
      middleware: [Recorded],
      interceptors: [Recorded],
      routes: ({ get }) => ({ read: get('/:id', (_ctx, { visit }) => visit) }),
    });
    const { fetch } = await serve({ controllers: [visits] });
    for (const id of [1, 2]) {
      const response = await fetch(`/visits/${id}`);
      const { number, path } = z
        .object({ number: z.number(), path: z.string() })
        .parse(await response.json());
      expect(path).toBe(`/visits/${id}`);
      const names = ['middleware', 'guard', 'interceptor'].map((name) => `${name} ${number}`);
      expect(response.headers.get('X-Visit')).toBe(names.join(', '));
    }
    expect(Visit.count).toBe(2);
  });

  it('takes tokens of guards, middleware and interceptors', async () => {
    const STEPS = token<Recorded>('steps');
    const own = { number: 7, path: '' };
    const container = createContainer().register(STEPS, { useFactory: () => new Recorded(own) });
    const tokens = defineController('/', {
      guards: [STEPS],
      middleware: [STEPS],
      interceptors: [STEPS],
      routes: ({ get }) => ({ read: get('/', () => 1) }),
    });
    const { fetch } = await serve({ container, controllers: [tokens] });
    expect((await fetch('/')).headers.get('X-Visit')).toBe('middleware 7, guard 7, interceptor 7');
  });

  it('takes combined decorators as metadata', async () => {
    const cached = applyDecorators(
      SetHeader('Vary', 'Accept'),
      SetHeader('Vary', 'Origin'),
      HttpCode(203),
    );
    const combined = defineController('/', {
      routes: ({ get }) => ({ read: get('/', { metadata: [cached] }, () => 1) }),
    });
    const { fetch } = await serve({ controllers: [combined] });
    const response = await fetch('/');
    expect([response.status, response.headers.get('Vary')]).toEqual([203, 'Accept, Origin']);
  });

  it('validates with asynchronous schemas, and the status of the application', async () => {
    const Name = z.object({ name: z.string().refine(async (name) => name !== 'taken') });
    const names = defineController('/names', {
      routes: ({ post }) => ({ create: post('/', { body: Name }, ({ body }) => body.name) }),
    });
    const { post } = await serve({ controllers: [names] }, [], { validationStatus: 422 });
    expect(await (await post('/names', { name: 'free' })).json()).toBe('free');
    expect((await post('/names', { name: 'taken' })).status).toBe(422);
  });

  it('can handle several paths with one handler, and respond with a web Response', async () => {
    const read = () => new Response('text', { status: 202, headers: { 'X-Own': 'yes' } });
    const paths = defineController('/', {
      routes: ({ get }) => ({ one: get('/one', read), two: get('/two', read) }),
    });
    const { fetch } = await serve({ controllers: [paths] });
    const responses = await Promise.all(['/one', '/two'].map((path) => fetch(path)));
    expect(responses.map(({ status }) => status)).toEqual([202, 202]);
    expect(responses.map(({ headers }) => headers.get('X-Own'))).toEqual(['yes', 'yes']);
  });

  it('can be built and kept like a class', () => {
    const kept = defineController('/kept', {
      version: 'v3',
      routes: ({ get }) => ({ read: get('/:id', { summary: 'Reads', hidden: true }, () => 1) }),
    });
    const registry = new ControllerRegistry();
    const { name, routes } = registry.register(kept);
    expect([name, registry.has(kept)]).toEqual(['v3/kept', true]);
    expect(routes).toMatchObject([{ path: '/v3/kept/:id', summary: 'Reads', hidden: true }]);
    const built = buildRoutes(kept, { prefix: '/api', container: createContainer() });
    expect(built.map(({ path, handler }) => [path, handler])).toEqual([
      ['/api/v3/kept/:id', 'v3/kept.read'],
    ]);
  });
});

describe('discovery', () => {
  it('registers a value once that is exported under several names, and none of test files', async () => {
    const root = await writeTree({
      'a.ts': `${IMPORT}\nexport const a = ${value('/a')}\nexport { a as b };\nexport default a;`,
      'a.test.ts': `${IMPORT}\nexport const tested = ${value('/tested')}`,
      'index.ts': "export * from './a.js';",
    });
    const { plugin } = await serve({ root, strict: true });
    expect(plugin.state.controllers.map(({ name }) => name)).toEqual(['a']);
  });

  it('builds exported services with static eager at startup', async () => {
    const root = await writeTree({
      'worker.ts': `
        export const built: string[] = [];
        export class Worker {
          static inject = [];
          static eager = true;
          constructor() { built.push('worker'); }
        }
        export class Entity {
          static eager = true;
          constructor() { built.push('entity'); }
        }
      `,
      'a.ts': `${IMPORT}\nimport { built } from './worker.js';
        export const a = defineController('/a', { routes: ({ get }) => ({ read: get('/', () => built) }) });`,
    });
    const { fetch } = await serve({ root, strict: true });
    expect(await (await fetch('/a')).json()).toEqual(['worker']);
  });
});
