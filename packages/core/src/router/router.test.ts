import { describe, expect, it } from 'vitest';
import { RouteConflictError } from '../errors/setup-error.js';
import { createRouter } from './router.js';

const handler = () => undefined;

describe('registration', () => {
  it.each(['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'all'] as const)(
    'router.%s() registers that method',
    (method) => {
      const router = createRouter()[method]('/a', handler);
      expect(router.routes).toEqual([
        { method: method.toUpperCase(), pattern: '/a', handlers: [handler] },
      ]);
    },
  );

  it('takes any method of node:http', () => {
    expect(createRouter().on('report', '/a', handler).routes[0]?.method).toBe('REPORT');
  });

  it('refuses a method that no request can have', () => {
    expect(() => createRouter().on('FETCH', '/a', handler)).toThrow(
      "'FETCH' is not a method that a route can answer.",
    );
  });

  it('refuses a route without handler', () => {
    expect(() => createRouter().get('/a')).toThrow(
      "router.get('/a') takes functions (ctx, next), and was given undefined.",
    );
  });

  it.each([
    [null, 'null'],
    [[], 'an array'],
    ['text', 'string'],
    [{}, 'object'],
  ])('refuses %j as a handler', (value, name) => {
    expect(() => createRouter().post('/a', handler, value as never)).toThrow(
      `router.post('/a') takes functions (ctx, next), and was given ${name}.`,
    );
  });

  it('refuses middleware that is no function', () => {
    expect(() => createRouter().use({} as never)).toThrow(
      'router.use() takes functions (ctx, next), and was given object.',
    );
  });
});

describe('conflicts', () => {
  it.each([
    ['/users/:id', '/users/:name'],
    ['/users', '/users/'],
    ['/*', '/*rest'],
    ['/a b', '/a%20b'],
  ])('%s and %s for one method are an error that names both', (existing, added) => {
    const router = createRouter().get(existing, handler);
    expect(() => router.get(added, handler)).toThrow(
      new RouteConflictError('GET', existing, added),
    );
    expect(new RouteConflictError('GET', existing, added).message).toBe(
      `GET ${added} matches the same paths as GET ${existing}, which is registered already. Remove one of the two or change its path.`,
    );
  });

  it('are none between two methods', () => {
    const router = createRouter().get('/a', handler).post('/a', handler).all('/a', handler);
    expect(router.routes.map(({ method }) => method)).toEqual(['GET', 'POST', 'ALL']);
  });

  it('follow the rules of the router', () => {
    const strict = createRouter({ strict: true }).get('/a', handler).get('/a/', handler);
    const relaxed = createRouter({ caseSensitive: false }).get('/a', handler);
    expect(strict.routes).toHaveLength(2);
    expect(() => relaxed.get('/A', handler)).toThrow(RouteConflictError);
  });
});

describe('nesting', () => {
  it('puts the prefix before the routes and the middleware before the handlers', () => {
    const [outer, inner, route] = [() => 1, () => 2, () => 3];
    const nested = createRouter().get('/:post', route).use(inner);
    const router = createRouter().route('/users/:id/posts', nested).use(outer);
    expect(router.routes).toEqual([
      { method: 'GET', pattern: '/users/:id/posts/:post', handlers: [outer, inner, route] },
    ]);
  });

  it('shows routes that the nested router gains later', () => {
    const nested = createRouter();
    const router = createRouter().route('/a', nested);
    nested.get('/b', handler);
    expect(router.routes.map(({ pattern }) => pattern)).toEqual(['/a/b']);
  });

  it('refuses a router that holds this one', () => {
    const outer = createRouter();
    const inner = createRouter();
    outer.route('/inner', inner);
    expect(() => inner.route('/outer', outer)).toThrow(
      "The router nested at '/outer' holds itself.",
    );
    expect(() => outer.route('/self', outer)).toThrow("The router nested at '/self' holds itself.");
  });

  it('refuses a router with other options', () => {
    expect(() => createRouter().route('/a', createRouter({ strict: true }))).toThrow(
      "The router nested at '/a' compares paths otherwise than its parent. Create both with the same caseSensitive and strict.",
    );
  });

  it('refuses a prefix that cannot be read', () => {
    expect(() => createRouter().route('/a//b', createRouter())).toThrow("The pattern '/a//b'");
  });
});
