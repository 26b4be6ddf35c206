import { describe, expect, it, vi } from 'vitest';
import {
  type Application,
  createApp,
  createRouter,
  json,
  listen,
  SetupError,
} from '../src/index.js';

const handler = () => 1;

/** Makes eight mistakes with functions. */
function mistaken(): Application {
  const router = createRouter().get('/a//b', handler);
  const app = createApp()
    .get('/users/:id', handler)
    .get('/users/:name', handler)
    .post('/users', { boby: 1 } as object, handler)
    .on('FETCH', '/x', handler)
    .use(json as never)
    .use('/admin/*', handler)
    .route('/nested', router)
    .put('/none', ...([] as never));
  return app.delete(7 as never, handler);
}

const MISTAKES = [
  "The pattern '/a//b' is not valid",
  'GET /users/:name matches the same paths as GET /users/:id',
  "app.post('/users') has no option 'boby'",
  "A route cannot handle the method 'FETCH'",
  'app.use() received the factory json',
  "The pattern '/admin/*' is not valid",
  "app.put('/none') received no function",
  'app.delete() received 7 instead of a pattern',
];

describe('the mistakes of registrations', () => {
  it.each<[string, (app: Application) => unknown]>([
    ['seal()', async (app) => app.seal()],
    ['listen()', (app) => listen(app, 0)],
    ['app.request()', (app) => app.request('/')],
    ['app.handle', async (app) => app.handle({} as never, {} as never)],
    [
      'the install of a plugin that fails',
      (app) =>
        app.plugin({
          name: 'other',
          install() {
            throw new SetupError('OTHER', 'Another problem.');
          },
        }),
    ],
  ])('are reported together by %s, each with its place', async (_, start) => {
    const error: { message: string } = await Promise.resolve(start(mistaken())).then(
      () => expect.unreachable(),
      (reason) => reason,
    );
    for (const mistake of MISTAKES) expect(error.message).toContain(mistake);
    expect(error.message.match(/At: test\/one-report\.test\.ts:\d+/g)).toHaveLength(9);
  });

  it('do not end the registration of what follows', () => {
    const app = mistaken().get('/last', handler);
    expect(app.routes().map(({ pattern }) => pattern)).toEqual(['/users/:id', '/last']);
  });

  it('are reported once for a router that is mounted several times', () => {
    const router = createRouter().get('/a//b', handler).get('/c', handler);
    const app = createApp().route('/x', router).route('/y', router);
    expect(() => app.seal()).toThrow(SetupError);
    expect(() => app.seal()).toThrow(/^The pattern '\/a\/\/b' is not valid.*\n {2}At: .*$/);
  });

  it('stay the same when they are reported again', () => {
    const app = mistaken();
    const messageOf = (): string => {
      try {
        app.seal();
        return expect.unreachable();
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(messageOf()).toBe(messageOf());
  });
});

describe('a router with a mistake that no application mounts', () => {
  it('is a warning of the next start', () => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    createRouter().get('/a//b', handler);
    createApp().get('/', handler).seal();
    createApp().get('/', handler).seal();
    expect(emitWarning.mock.calls).toEqual([
      [
        expect.stringMatching(
          /^A router that is not mounted has a problem: The pattern '\/a\/\/b' .*\n {2}At: test\/one-report/,
        ),
        { type: 'FairleadWarning', code: 'FAIRLEAD_ROUTE' },
      ],
    ]);
    emitWarning.mockRestore();
  });

  it('is part of the report if its prefix is wrong', () => {
    const router = createRouter().get('/a//b', handler);
    const app = createApp().route('/x/*', router);
    expect(() => app.seal()).toThrow(/2 problems.*'\/x\/\*'.*'\/a\/\/b'/s);
  });
});

it('a route with a wrong option is reported together with its conflicts', () => {
  const app = createApp()
    .get('/users/:id', handler)
    .get('/users/:name', { sumary: 'Find' } as object, handler)
    .get('/posts', { sumary: 'List' } as object, handler)
    .get('/posts', handler);
  expect(() => app.seal()).toThrow(
    /1\. app\.get\('\/users\/:name'\) has no option 'sumary'[\s\S]+2\. GET \/users\/:name matches the same paths as GET \/users\/:id[\s\S]+3\. app\.get\('\/posts'\) has no option 'sumary'[\s\S]+4\. GET \/posts matches the same paths as GET \/posts/,
  );
});
