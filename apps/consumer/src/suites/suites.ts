import type { Suite } from './suite.ts';

/** Returns the names of tests: those of a group followed by each of theirs. */
const inGroup = (group: string, names: readonly string[]): string[] =>
  names.map((name) => `${group}${name}`);

const compose = (...names: string[]): string[] => [
  ...inGroup('test/test.js > Koa Compose > ', names),
  ...inGroup('test/test.js > Koa Compose - Dev > ', names),
];
const cors = (...names: string[]): string[] =>
  inGroup('test/cors.test.js > cors.test.js > ', names);
const setCookie = (...names: string[]): string[] =>
  inGroup('src/stringify-set-cookie.spec.ts > cookie.stringifySetCookie > ', names);

/** Every suite, in the order of the page. */
export const suites: readonly Suite[] = [
  {
    name: 'koa-compose',
    repository: 'koajs/compose',
    subject: 'the pipeline of [@fairlead/core](../packages/core)',
    runner: 'node',
    files: ['test/*.js'],
    adapters: { './index.js': 'koa-compose.ts' },
    differences: [
      {
        why: 'creates no promises. If the next function is synchronous, `next()` returns `undefined`, which takes less time. `await next()` works with both.',
        tests: compose('should create next functions that return a Promise'),
      },
      {
        why: 'ignores what middleware returns, unless it is a promise. Only the result of a handler becomes the response.',
        tests: compose('should return last return value'),
      },
      {
        why: 'lets middleware continue without awaiting `next()`. If the response is missing as a consequence, the error `NO_RESPONSE` names the middleware. Otherwise, a warning does.',
        tests: ['test/test.js > Koa Compose - Dev > should detect disconnected promise chains'],
      },
    ],
    absent: [],
  },
  {
    name: 'cookie',
    repository: 'jshttp/cookie',
    subject: '`readCookies()` and `setCookie()` of [@fairlead/middleware](../packages/middleware)',
    runner: 'vitest',
    files: ['src/parse-cookie.spec.ts', 'src/stringify-set-cookie.spec.ts'],
    adapters: { './src/index.ts': 'cookie.ts' },
    note: "The tests of `stringifyCookie()` and `parseSetCookie()`, which are for clients, don't run. The adapter removes the attributes that `setCookie()` adds by default.",
    differences: [
      {
        why: 'accepts only tokens as names, because RFC 6265 forbids other characters.',
        tests: setCookie(
          ...inGroup(
            'should serialize name: foo',
            [...',/@[]:{}"<>?\\'].map((character) => `${character}bar`),
          ),
        ),
      },
      {
        why: 'rejects a relative path, which clients ignore.',
        tests: setCookie(
          'with "path" option > should serialize path: ../foo/',
          'with "path" option > should serialize path: ./',
        ),
      },
      {
        why: 'rejects `SameSite=None` without `Secure`, which clients drop.',
        tests: setCookie('with "sameSite" option > should set sameSite none'),
      },
    ],
    absent: [
      {
        why: 'has no options `encode` and `decode`: values are percent-encoded. Encode others before `setCookie()`.',
        tests: [
          ...setCookie(
            ...inGroup('with "encode" option > ', [
              'should specify alternative value encoder',
              'should apply the encoder to an empty value',
              'should serialize value: foo"bar',
              'should serialize value: foo,bar',
              'should serialize value: foo\\bar',
              'should throw for invalid value: foo bar',
              'should throw for invalid value: foo;bar',
              'should throw for invalid value: foo\u280a',
            ]),
          ),
          'src/parse-cookie.spec.ts > cookie.parseCookie > with "decode" option',
        ],
      },
      {
        why: 'has no option `priority`, which is not part of RFC 6265.',
        tests: setCookie(
          ...inGroup('with "priority" option > should set priority ', [
            'low',
            'medium',
            'high',
            'High',
          ]),
        ),
      },
    ],
  },
  {
    name: 'koa-cors',
    repository: 'koajs/cors',
    subject: '`cors()` of [@fairlead/middleware](../packages/middleware)',
    runner: 'mocha',
    files: ['test/*.test.js'],
    adapters: { './index.js': 'koa-cors.ts', koa: 'koa.ts' },
    differences: [
      {
        why: 'separates the names of a list with a comma and a space. Both spellings mean the same.',
        tests: cors(
          'options.exposeHeaders > should work with array',
          'options.allowMethods > should work with allowMethods is array',
        ),
      },
      {
        why: 'also allows the method QUERY by default.',
        tests: cors('default options > should 204 on Preflight Request'),
      },
      {
        why: "sends `Vary: Origin` only if the response depends on the origin. With the default `*`, it doesn't. For other origins, it adds to `Vary` as these tests ask.",
        tests: cors(
          'default options > should always set `Vary` to Origin',
          'other middleware has been set `Vary` header to Accept-Encoding',
          'other middleware has set vary header on Error',
        ),
      },
      {
        why: "doesn't call an origin function for a request without an origin, and doesn't add CORS headers to its response.",
        tests: cors(
          'options.origin set the request Origin header > should set `Access-Control-Allow-Origin` to `*`, even if no Origin is passed on request',
        ),
      },
      {
        why: 'refuses credentials for the origin `*` at startup. @koa/cors then allows credentials to every site.',
        tests: cors(
          'options.credentials > should enable Access-Control-Allow-Credentials on Simple request',
          'options.credentials > should enable Access-Control-Allow-Credentials on Preflight request',
          'options.origin=*, and options.credentials=true',
        ),
      },
      {
        why: 'rejects options of another type at startup: `maxAge` is a number, and `methods` is not `null`.',
        tests: cors(
          'options.maxAge > should set maxAge with string',
          'options.maxAge > should not set maxAge on simple request',
          'options.allowMethods > should skip allowMethods',
        ),
      },
      {
        why: 'keeps the headers that middleware has set when an error is thrown. Koa removes them.',
        tests: cors('options.headersKeptOnError > should not keep unrelated headers'),
      },
    ],
    absent: [
      {
        why: 'has no functions for `credentials`. Use one `cors()` for each router.',
        tests: cors('options.credentials=function', 'options.credentials=async function'),
      },
      {
        why: 'has no option `keepHeadersOnError`: it always keeps them, so that pages can read errors.',
        tests: cors(
          'options.headersKeptOnError > should not keep CORS headers after an error if keepHeadersOnError is false',
        ),
      },
      {
        why: 'has no option `secureContext`: `secureHeaders()` sets one of these headers, and takes the other one.',
        tests: cors('options.secureContext=true', 'options.secureContext=false'),
      },
      {
        why: 'has no option `privateNetworkAccess`. It was a proposal that browsers have replaced.',
        tests: cors('options.privateNetworkAccess=false', 'options.privateNetworkAccess=true'),
      },
    ],
  },
];
