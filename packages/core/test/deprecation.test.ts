import { warningsOf } from '@fairlead/test-support/start-warnings';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  BadRequestError,
  createApp,
  createRouter,
  type Deprecation,
  intended,
} from '../src/index.js';

afterEach(() => vi.useRealTimers());

const deprecated: Deprecation = {
  since: '2026-01-31',
  sunset: '2026-07-01',
  replacement: '/v2/users',
  link: 'https://example.com/news#users',
};

/** Returns what the headers of a response tell about its route. */
async function toldBy(response: Response | Promise<Response>) {
  const { headers } = await response;
  return ['Deprecation', 'Sunset', 'Link'].map((name) => headers.get(name));
}

const EVERYTHING = [
  '@1769817600',
  'Wed, 01 Jul 2026 00:00:00 GMT',
  '</v2/users>; rel="successor-version", <https://example.com/news#users>; rel="deprecation"; type="text/html"',
];

describe('a deprecated route', () => {
  it('tells clients since when, until when, and what to use', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-06-30T23:59:59Z') });
    const app = createApp()
      .get('/users', { deprecated }, () => [])
      .get('/dates', { deprecated: { since: '2026-01-31' } }, () => [])
      .get('/flag', { deprecated: true }, () => []);
    expect(await toldBy(app.request('/users'))).toEqual(EVERYTHING);
    expect(await toldBy(app.request('/users', { method: 'HEAD' }))).toEqual(EVERYTHING);
    expect(await toldBy(app.request('/dates'))).toEqual(['@1769817600', null, null]);
    expect(await toldBy(app.request('/flag'))).toEqual([null, null, null]);
  });

  it('tells the dates in errors, too, and keeps the links of handlers', async () => {
    const app = createApp().route(
      '/users',
      createRouter()
        .use((_ctx, next) => next())
        .get('/', { deprecated: { since: '2026-01-31', replacement: '/v2' } }, (ctx) => {
          if (ctx.query.page === '0') throw new BadRequestError('The first page is 1.');
          ctx.append('Link', '</users?page=2>; rel="next"');
          return [];
        }),
    );
    expect(await toldBy(app.request('/users?page=0'))).toEqual(['@1769817600', null, null]);
    expect((await toldBy(app.request('/users')))[2]).toBe(
      '</v2>; rel="successor-version", </users?page=2>; rel="next"',
    );
  });

  it('causes a warning from the day of its sunset on', () => {
    const app = (handler = () => []) => createApp().get('/users', { deprecated }, handler);
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-06-30T23:59:59Z') });
    expect(warningsOf(app())).toEqual([]);
    vi.setSystemTime(new Date('2026-07-01T00:00:00Z'));
    expect(warningsOf(app())).toEqual([
      expect.stringContaining(
        'The sunset of a deprecated route has passed, on 2026-07-01: GET /users. Remove the route, move its sunset, or pass the handler or the controller to intended().',
      ),
    ]);
    expect(warningsOf(app(intended(() => [])))).toEqual([]);
  });

  it.each<[object, string]>([
    [{}, "deprecated without since. Add the date, such as since: '2026-01-31'."],
    [{ since: '31.01.2026' }, "'31.01.2026' as deprecated.since. Use a date such as '2026-01-31'."],
    [{ since: '2026-02-30' }, "'2026-02-30' as deprecated.since. Use a date such as '2026-01-31'."],
    [
      { since: '2026-02-01', sunset: '2026-01-01' },
      'a sunset, 2026-01-01, before since, 2026-02-01. Swap them.',
    ],
    [
      { since: '2026-02-01', link: 'docs page' },
      "'docs page' as deprecated.link. Use a URL or a path, such as '/v2/users'.",
    ],
    [{ from: '2026-02-01' }, "'from' as a member of deprecated. "],
  ])('fails the start with %j', (value, problem) => {
    const app = createApp().get('/', { deprecated: value } as never, () => []);
    expect(() => app.seal()).toThrow(problem);
  });
});
