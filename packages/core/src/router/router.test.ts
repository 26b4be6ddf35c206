import { METHODS } from 'node:http';
import { describe, expect, it } from 'vitest';
import { start } from '../../test/support/start.js';
import { RouteConflictError } from '../setup/setup-error.js';
import { parseMethod } from './route-methods.js';
import { createRouter } from './router.js';

const handler = () => undefined;

describe('registration', () => {
  it.each(['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'all'] as const)(
    'router.%s() registers that method',
    (method) => {
      const router = createRouter()[method]('/a', handler);
      expect(router.routes).toEqual([
        {
          method: method.toUpperCase(),
          pattern: '/a',
          params: [],
          options: {},
          handlers: [handler],
        },
      ]);
    },
  );

  it('accepts every method of node:http', () => {
    expect(createRouter().on('report', '/a', handler).routes[0]?.method).toBe('REPORT');
  });

  it('rejects a method that no request can have', () => {
    expect(() => start(createRouter().on('FETCH', '/a', handler))).toThrow(
      "A route cannot handle the method 'FETCH'.",
    );
  });
});

describe('conflicts', () => {
  it.each([
    ['/users/:id', '/users/:name'],
    ['/users', '/users/'],
    ['/*', '/*rest'],
    ['/a"b', '/a%22b'],
  ])('%s and %s for one method throw an error that names both', (existing, added) => {
    const router = createRouter().get(existing, handler);
    expect(() => start(router.get(added, handler))).toThrow(
      expect.objectContaining({ name: 'RouteConflictError', method: 'GET', existing, added }),
    );
    expect(new RouteConflictError('GET', existing, added).message).toBe(
      `GET ${added} matches the same paths as GET ${existing}, which is already registered. Remove one of them or change its path.`,
    );
  });

  it('do not exist between two methods', () => {
    const router = createRouter().get('/a', handler).post('/a', handler).all('/a', handler);
    expect(router.routes.map(({ method }) => method)).toEqual(['GET', 'POST', 'ALL']);
  });

  it('follow the rules of the router', () => {
    const strict = createRouter({ strict: true }).get('/a', handler).get('/a/', handler);
    const relaxed = createRouter({ caseSensitive: false }).get('/a', handler);
    expect(strict.routes).toHaveLength(2);
    expect(() => start(relaxed.get('/A', handler))).toThrow(RouteConflictError);
  });
});

describe('nesting', () => {
  it('puts the prefix before the routes and the middleware before the handlers', () => {
    const [outer, inner, route] = [() => 1, () => 2, () => 3];
    const nested = createRouter().get('/:post', route).use(inner);
    const router = createRouter().route('/users/:id/posts', nested).use(outer);
    expect(router.routes).toEqual([
      {
        method: 'GET',
        pattern: '/users/:id/posts/:post',
        params: ['id', 'post'],
        options: {},
        handlers: [outer, inner, route],
      },
    ]);
  });

  it('includes routes that the nested router registers later', () => {
    const nested = createRouter();
    const router = createRouter().route('/a', nested);
    nested.get('/b', handler);
    expect(router.routes.map(({ pattern }) => pattern)).toEqual(['/a/b']);
  });

  it('rejects a router that contains this one', () => {
    const outer = createRouter();
    const inner = createRouter();
    outer.route('/inner', inner);
    expect(() => start(inner.route('/outer', outer))).toThrow(
      "Cannot nest the router at '/outer': its parent would be nested in itself. Create a separate router.",
    );
    expect(() => start(outer.route('/self', outer))).toThrow(
      "Cannot nest the router at '/self': its parent would be nested in itself. Create a separate router.",
    );
  });

  it('rejects a router that contains this one at any depth', () => {
    const [top, middle, bottom] = [createRouter(), createRouter(), createRouter()];
    top.route('/middle', middle.route('/bottom', bottom));
    expect(() => start(bottom.route('/top', top))).toThrow(
      expect.objectContaining({ code: 'ROUTER_CYCLE' }),
    );
  });

  it('rejects a router with other options', () => {
    expect(() => start(createRouter().route('/a', createRouter({ strict: true })))).toThrow(
      "Cannot nest the router at '/a': it compares paths differently from its parent. Create both with the same caseSensitive and strict options.",
    );
  });

  it('rejects an invalid prefix', () => {
    expect(() => start(createRouter().route('/a//b', createRouter()))).toThrow(
      "The pattern '/a//b'",
    );
  });
});

describe('parseMethod', () => {
  it.each([...METHODS.filter((name) => name !== 'CONNECT'), 'ALL'])(
    'accepts %s in any case',
    (method) => {
      expect(parseMethod(method.toLowerCase())).toBe(method);
    },
  );

  it.each(['FETCH', 'CONNECT'])('rejects %s, which no request can have', (method) => {
    expect(() => parseMethod(method)).toThrow(
      `A route cannot handle the method '${method}'. Use 'ALL', or a method from http.METHODS except CONNECT.`,
    );
  });
});
