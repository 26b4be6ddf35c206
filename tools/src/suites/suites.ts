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
const router = (...names: string[]): string[] => inGroup('test/', names);
const strict = (...names: string[]): string[] => inGroup('h1spec/__init__.py > ', names);
const session = (...names: string[]): string[] => inGroup('test/session.js > session() > ', names);
const setCookie = (...names: string[]): string[] =>
  inGroup('src/stringify-set-cookie.spec.ts > cookie.stringifySetCookie > ', names);

/** Every suite, in the order of the page. */
export const suites: readonly Suite[] = [
  {
    name: 'koa-compose',
    repository: 'koajs/compose',
    subject: 'the pipeline of [@fairlead/core](../../packages/core)',
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
    subject:
      '`readCookies()` and `setCookie()` of [@fairlead/middleware](../../packages/middleware)',
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
    subject: '`cors()` of [@fairlead/middleware](../../packages/middleware)',
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
  {
    name: 'find-my-way',
    repository: 'delvedor/find-my-way',
    subject: 'the router of [@fairlead/core](../../packages/core)',
    runner: 'node',
    files: ['test/**/!(shorthands).test.js'],
    adapters: { './index.js': 'find-my-way.ts' },
    note: "A test that uses a feature which Fairlead doesn't have counts as absent, even if it would pass. `shorthands.test.js` doesn't run: it ends before its subtests do.",
    differences: [
      {
        why: 'rejects the same registrations at startup with other messages.',
        tests: router(
          ...inGroup('errors.test.js > ', [
            ...[
              'Method should be a string',
              'Method should be a string (array)',
              'Path should be a string',
            ].flatMap((name) => [name, `${name} [ignoreTrailingSlash=true]`]),
            'Handler should be a function',
            'Method is not an http method.',
            'Method is not an http method. (array)',
            'The default route must be a function',
            'Method already declared',
            'Method already declared if * is used',
            'Method already declared if /* is used',
            'Method already declared [ignoreTrailingSlash=true]',
            'Method already declared nested route',
            'Method already declared nested route [ignoreTrailingSlash=true]',
          ]),
          'issue-28.test.js > Wildcard must be the last character in the route',
          'issue-369.test.js > duplicate routes ending with a parameter are still rejected',
          'optional-params.test.js > Test for duplicate route with optional param',
          'optional-params.test.js > Test for param with ? not at the end',
        ),
      },
      {
        why: 'accepts a pattern without a leading slash, and adds one.',
        tests: router(
          ...inGroup('errors.test.js > ', [
            'The path could not be empty',
            'The path could not be empty [ignoreTrailingSlash=true]',
            'The first character of a path should be `/` or `*`',
            'The first character of a path should be `/` or `*` [ignoreTrailingSlash=true]',
          ]),
        ),
      },
      {
        why: 'reads the pattern `*` as `/*`, so the value of the wildcard has no leading slash.',
        tests: router(
          'fastify-issue-3957.test.js > wildcard should not limit by maxParamLength',
          'issue-28.test.js > Mixed wildcard and static with same method',
          'issue-28.test.js > Nested wildcards with parametric and static - 6',
          'methods.test.js > catch all wildcard',
        ),
      },
      {
        why: 'matches `/static` with `/static/*`, too, with an empty value.',
        tests: router(
          ...['', ' (mixed routes)', ' (with a root wildcard)'].map(
            (end) =>
              `issue-46.test.js > If the prefixLen is higher than the pathLen we should not save the wildcard child${end}`,
          ),
        ),
      },
      {
        why: 'matches no empty segment with a parameter: `/a/:id` is not the route of `/a/`.',
        tests: router(
          'issue-20.test.js > Should get an empty parameter',
          'issue-104.test.js > Mixed routes, url with parameter common prefix > 1',
          'optional-params.test.js > Optional Parameter with ignoreTrailingSlash = false',
        ),
      },
      {
        why: 'matches parameters with text after them from the left, as short as possible.',
        tests: router('issue-17.test.js > Multi parametric route / 2'),
      },
      {
        why: 'keeps `%2F` in the value of a wildcard.',
        tests: router('methods.test.js > should decode the uri - wildcard'),
      },
      {
        why: 'rejects a pattern that names two parameters alike, has an empty segment, or contains characters with a meaning in other routers. Write them percent-encoded.',
        tests: router(
          'issue-59.test.js > with parameter / 6',
          'server.test.js > does not trim duplicate slashes when ignoreDuplicateSlashes is false',
          'issue-17.test.js > Multi parametric route / 3',
          'issue-206.test.js > Decode the URL before the routing',
          'optional-params.test.js > Multi parametric route with optional param',
        ),
      },
      {
        why: 'reads request targets as RFC 9112 defines them: in ASCII, without a fragment.',
        tests: router(
          'issue-234.test.js > Match static url without encoding option',
          'issue-234.test.js > Match parametric url with encoding option',
          'issue-234.test.js > Match encoded parametric url with encoding option',
          'querystring.test.js > should sanitize the url - hash',
        ),
      },
      {
        why: 'has no routes for CONNECT, which Node.js handles as an event.',
        tests: router('methods.test.js > register all known HTTP methods'),
      },
    ],
    absent: [
      {
        why: 'selects no route by host, version or other constraints.',
        message: 'Absent: constraints',
      },
      {
        why: 'has no regular expressions in patterns: a schema validates the parameter.',
        message: 'Absent: regular expressions',
      },
      {
        why: 'lists routes with `app.routes()`, and `fairlead explain` finds one.',
        message: 'Absent: routes',
      },
      { why: 'prints routes with `fairlead routes`.', message: 'Absent: prettyPrint' },
      {
        why: 'does not ignore duplicate slashes, and exports no functions that clean paths.',
        message: 'Absent: ignoreDuplicateSlashes',
        tests: ['test/path-utils.test.js', 'test/url-sanitizer.test.js'],
      },
      {
        why: 'has no maximum length of a parameter: the server limits the length of all headers.',
        message: 'Absent: maxParamLength',
        tests: router('max-param-length.test.js > maxParamLength default value is 500'),
      },
      { why: 'does not remove routes.', message: 'Absent: removal' },
      { why: 'has no other parsers of queries.', message: 'Absent: query' },
      { why: 'responds with 400 to malformed paths.', message: 'Absent: onBadUrl' },
      { why: 'ends queries at no semicolon.', message: 'Absent: semicolons' },
      { why: 'has no callbacks for the results of handlers.', message: 'Absent: callbacks' },
      {
        why: 'needs text between two parameters of a segment.',
        message: 'Absent: adjacent parameters',
      },
      {
        why: 'has other internals, which these tests read.',
        tests: router(
          'lookup.test.js > lookup calls route handler with no context',
          'issue-330.test.js > Should throw an error for unsafe OPTIONAL_PARAM_REGEXP',
          'issue-330.test.js > if buildPrettyMeta argument is undefined, will return an object',
        ),
      },
    ],
  },
  {
    name: 'h1spec',
    repository: 'uNetworking/h1spec',
    subject: 'the server of [@fairlead/core](../../packages/core), which parses HTTP with Node.js',
    runner: 'server',
    files: ['http_test.ts'],
    adapters: {},
    differences: [],
    absent: [],
  },
  {
    name: 'h1spec-strict',
    repository: 'dropseed/h1spec',
    subject: 'the same, with another suite in strict mode',
    runner: 'server',
    files: ['h1spec/__init__.py'],
    adapters: {},
    note: 'Needs Python 3.10.',
    differences: [],
    absent: [
      {
        why: 'has no routes for CONNECT. Node.js closes the connection.',
        tests: strict('CONNECT authority-form accepted'),
      },
    ],
  },
  {
    name: 'compression',
    repository: 'expressjs/compression',
    subject: 'its middleware through `connect()` of [@fairlead/connect](../../packages/connect)',
    runner: 'mocha',
    files: ['test/*.js'],
    adapters: { './index.js': 'connect.ts' },
    differences: [],
    absent: [
      {
        why: 'serves HTTP/1.1. A proxy in front of it translates HTTP/2.',
        tests: ['test/compression.js > compression() > http2 > should work with http2 server'],
      },
    ],
  },
  {
    name: 'express-session',
    repository: 'expressjs/session',
    subject: 'its middleware through `connect()` of [@fairlead/connect](../../packages/connect)',
    runner: 'mocha',
    files: ['test/*.js'],
    adapters: { './index.js': 'connect.ts' },
    note: 'Its `npm test` creates a certificate for one of the tests. Run `test/support/gencert.sh` first.',
    differences: [
      {
        why: 'decides whether a request is secure, by the connection and the trusted proxies of the application. These tests set `req.secure` themselves.',
        tests: session(
          'proxy option > when disabled > should ignore req.secure',
          'proxy option > when unspecified > should use req.secure',
          ...inGroup('cookie option > when ', [
            '"secure" set to "auto" > when "proxy" is undefined > should set secure if req.secure = true',
            ...inGroup('"sameSite" set to "auto" > ', [
              'basic functionality > should set SameSite=None for secure connections',
              'combined with secure auto > when "secure" is "auto" > should set both Secure and SameSite=None when secure',
              'combined with secure auto > when "secure" is "false" > should set SameSite=None without Secure when secure',
              'combined with secure auto > when "secure" is "true" > should set both Secure and SameSite=None when secure',
            ]),
          ]),
        ),
      },
    ],
    absent: [],
  },
  {
    name: 'jose',
    repository: 'panva/jose',
    subject:
      'the verifier of [@fairlead/jwt](../../packages/jwt), with the jose that it depends on',
    runner: 'ava',
    files: ['test/jwt/verify.test.ts'],
    adapters: { './src/index.js': 'jose.ts' },
    note: 'Only the tests of `jwtVerify()` run. The verifier verifies each token twice, because it remembers them.',
    differences: [],
    absent: [],
  },
];
