import { describe, expect, it } from 'vitest';
import { createApp } from '../app/application.js';
import { createRouter } from './router.js';

const nothing = () => undefined;

const app = createApp()
  .route(
    '/api/users',
    createRouter()
      .get('/', nothing)
      .get('/me', nothing)
      .get('/:id', nothing)
      .delete('/:id', nothing)
      .get('/:id/posts', nothing),
  )
  .route('/files', createRouter().get('/*path', nothing));

describe('app.explain()', () => {
  it('returns the route that handles the request, with its decoded parameters', () => {
    expect(app.explain('get', '/api/users/a%20b?x=1')).toMatchObject({
      path: '/api/users/a%20b',
      match: { method: 'GET', pattern: '/api/users/:id', params: { id: 'a b' } },
    });
    expect(app.explain('HEAD', '/files/a%20b/c%2fd').match).toEqual({
      method: 'GET',
      pattern: '/files/*path',
      params: { path: 'a b/c%2Fd' },
    });
  });

  it('explains why similar routes do not match, the most similar first', () => {
    expect(app.explain('GET', '/api/users/me').near).toEqual([
      {
        method: 'GET',
        pattern: '/api/users/:id',
        reason: 'it matches, but GET /api/users/me takes precedence',
      },
      { method: 'DELETE', pattern: '/api/users/:id', reason: 'it handles DELETE, not GET' },
      {
        method: 'GET',
        pattern: '/api/users/:id/posts',
        reason: 'it has 4 segments, but the path has 3',
      },
      { method: 'GET', pattern: '/api/users', reason: 'it has 2 segments, but the path has 3' },
      { method: 'GET', pattern: '/files/*path', reason: "segment 1 is 'api', not 'files'" },
    ]);
  });

  it.each([
    ['GET', '/API/users', "segment 1 is 'API', not 'api' (case-sensitive)"],
    ['PUT', '/api/users/7', 'it handles GET, not PUT'],
    ['GET', '/api/users//posts', 'segment 3 is empty, but :id needs a value'],
  ])('explains why no route matches %s %s', (method, path, reason) => {
    const { match, near } = app.explain(method, path);
    expect(match).toBeUndefined();
    expect(near.map((route) => route.reason)).toContain(reason);
  });

  it('explains parameters with text around them', () => {
    const images = createApp().route('/', createRouter().get('/:file.png', nothing));
    expect(images.explain('GET', '/logo.png').match).toEqual({
      method: 'GET',
      pattern: '/:file.png',
      params: { file: 'logo' },
    });
    expect(images.explain('GET', '/logo.gif').near).toEqual([
      { method: 'GET', pattern: '/:file.png', reason: "segment 1 is 'logo.gif', not ':file.png'" },
    ]);
  });

  it('returns no routes for a malformed target', () => {
    expect(app.explain('GET', '/api/users/%')).toEqual({
      path: '/api/users/%',
      match: undefined,
      near: [],
    });
  });

  it('does not seal the application', () => {
    const open = createApp();
    open.explain('GET', '/');
    expect(() => open.use(nothing)).not.toThrow();
  });

  it('lists no more than ten routes', () => {
    const router = createRouter();
    for (let index = 0; index < 12; index += 1) router.get(`/route${index}`, nothing);
    expect(createApp().route('/', router).explain('GET', '/').near).toHaveLength(10);
  });

  it('counts no segment in the root path', () => {
    const router = createRouter().get('/users', nothing);
    expect(createApp().route('/', router).explain('GET', '/').near).toMatchObject([
      { reason: 'it has 1 segment, but the path has 0' },
    ]);
  });
});
