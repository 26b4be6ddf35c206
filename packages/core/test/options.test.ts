import { errorOf, setupError, testOptions, type Wrong } from '@fairlead/test-support/option-tests';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createApp,
  createRouter,
  errorHandler,
  json,
  listen,
  notFoundHandler,
  raw,
  text,
  urlencoded,
} from '../src/index.js';

const boolean: Wrong = ['false', "'false'", 'true or false'];
const fn: Wrong = ['log', "'log'", 'a function'];
const errorOptions = { includeStack: boolean, onError: fn, format: fn };
const routerOptions = { caseSensitive: [1, '1', 'true or false'], strict: boolean } as const;
const bodyOptions = {
  limit: [
    '1 megabyte',
    "'1 megabyte'",
    "a whole number of bytes, or a string such as '64kb' or '1mb'",
  ],
  type: [
    'json',
    "'json'",
    "media types such as 'application/json', 'text/*' or 'application/*+json', or a function",
  ],
  rawBody: ['yes', "'yes'", 'true or false'],
} as const;
const limit = (unit: string): Wrong => ['5', "'5'", `a non-negative integer${unit}`];

testOptions([
  ['createApp()', createApp, { ...errorOptions, ...routerOptions, notFound: fn }],
  ['createRouter()', createRouter, routerOptions],
  ['errorHandler()', errorHandler, errorOptions],
  ['notFoundHandler()', notFoundHandler, { format: fn }],
  ['json()', json, bodyOptions],
  ['text()', text, bodyOptions],
  ['raw()', raw, bodyOptions],
  ['urlencoded()', urlencoded, { ...bodyOptions, maxFields: limit(' number of fields') }],
  [
    'listen()',
    (options: never) => listen(createApp(), 0, options),
    {
      host: ['', "''", 'a non-empty string'],
      reusePort: boolean,
      headersTimeout: limit(' number of milliseconds'),
      requestTimeout: limit(' number of milliseconds'),
      keepAliveTimeout: limit(' number of milliseconds'),
      writeTimeout: limit(' number of milliseconds'),
      maxHeaderSize: limit(' number of bytes'),
      maxHeaders: limit(''),
      maxTargetSize: limit(' number of bytes'),
    },
  ],
  [
    'app.fetch()',
    (caller: never) => createApp().request('/', {}, caller),
    { ip: ['localhost', "'localhost'", 'an IPv4 or IPv6 address'] },
  ],
]);

it('problems of one kind keep its code', async () => {
  const error = await errorOf(urlencoded, { limit: 'lots', maxFields: -1 });
  expect(error).toMatchObject({ code: 'INVALID_OPTION' });
});

describe('listen()', () => {
  const app = createApp();

  it.each([
    ['18080', "'18080'", ' Convert it with Number().'],
    ['', "''", ''],
    ['http', "'http'", ''],
    [undefined, 'undefined', ''],
    [{ port: 8080 }, 'an object', ''],
    [Number.NaN, 'NaN', ''],
    [65_536, '65536', ''],
  ])('rejects the port %o', async (port, shown, hint) => {
    const message = `port of listen() must be an integer from 0 to 65535: got ${shown}.${hint}`;
    expect(await errorOf(listen, app, port)).toEqual(setupError('INVALID_OPTION', message));
  });

  it.each([
    [undefined, 'undefined', 'Pass an application from createApp().'],
    [createApp, 'the function createApp', 'Pass an application from createApp().'],
    [createRouter(), 'an instance of Router', 'Pass an application from createApp().'],
    [Promise.resolve(app), 'an instance of Promise', 'Await it.'],
  ])('rejects %o in place of an application', async (value, shown, fix) => {
    const message = `listen() cannot use ${shown} as app. ${fix}`;
    expect(await errorOf(listen, value, 0)).toEqual(setupError('INVALID_OPTION', message));
  });

  it('reports the problems of all arguments in one error', async () => {
    const error = await errorOf(listen, 18_080, app, { hots: 'localhost', tls: 'the private key' });
    expect(error).toEqual(
      setupError(
        'INVALID_OPTION',
        'listen() cannot use 18080 as app. Pass an application from createApp().',
        'port of listen() must be an integer from 0 to 65535: got an instance of Application.',
        "listen() has no option 'hots'. Did you mean 'host'?",
        'Invalid tls option of listen(): it is not an object. Pass tls: { key, cert }.',
      ),
    );
  });

  it('does not seal the application when an argument is invalid', async () => {
    const open = createApp();
    await errorOf(listen, open, '0');
    expect(() => open.use(() => undefined)).not.toThrow();
  });
});

describe('server.close()', () => {
  it.each([
    [
      { timeout: -1 },
      'timeout of server.close() must be 0 or more milliseconds, or Infinity: got -1.',
    ],
    [
      { timeout: '5' },
      "timeout of server.close() must be 0 or more milliseconds, or Infinity: got '5'.",
    ],
    [{ timeuot: 5 }, "server.close() has no option 'timeuot'. Did you mean 'timeout'?"],
    [5000, 'options of server.close() must be an object: got 5000.'],
    [() => undefined, 'options of server.close() must be an object: got a function.'],
  ])('rejects %o, and keeps serving', async (options, message) => {
    const server = await listen(
      createApp().use((ctx) => ctx.send('here')),
      0,
    );
    onTestFinished(() => server.close({ timeout: 0 }));
    expect(() => Reflect.apply(server.close, server, [options])).toThrow(
      setupError('INVALID_OPTION', message),
    );
    expect(await (await fetch(server.url)).text()).toBe('here');
  });
});

it.each(['constructor', 'toString', '__proto__'])('reports an option named %s', async (name) => {
  const message = `json() has no option '${name}'. Remove it, or use limit, type, rawBody or skip.`;
  expect(await errorOf(json, JSON.parse(`{ "${name}": 1 }`))).toEqual(
    setupError('INVALID_OPTION', message),
  );
});

describe('calls without a socket', () => {
  it.each([
    ['/users', "'/users'"],
    [undefined, 'undefined'],
    [new URL('http://localhost/users'), 'an instance of URL'],
    [{ url: 'http://localhost/users' }, 'an object'],
    [new Blob([]), 'an instance of Blob'],
  ])('app.fetch() rejects %o', async (request, shown) => {
    const app = createApp();
    const message = `app.fetch() cannot use ${shown} as request. Pass a Request, or call app.request() with a path.`;
    expect(await errorOf(app.fetch.bind(app), request)).toEqual(
      setupError('INVALID_OPTION', message),
    );
  });

  it.each([
    [new Request('http://localhost/'), 'an instance of Request'],
    [undefined, 'undefined'],
  ])('app.request() rejects %o', async (path, shown) => {
    const app = createApp();
    const message = `app.request() cannot use ${shown} as path. Pass a path such as '/users', or call app.fetch() with a Request.`;
    expect(await errorOf(app.request.bind(app), path)).toEqual(
      setupError('INVALID_OPTION', message),
    );
  });
});
