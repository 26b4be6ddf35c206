import { createLambdaHandler } from '@fairlead/aws-lambda';
import { connect } from '@fairlead/connect';
import { type AnyMiddleware, type Context, createApp, json } from '@fairlead/core';
import { createJwtAuth, requireRole } from '@fairlead/jwt';
import { createMetrics } from '@fairlead/metrics';
import {
  compression,
  createHealth,
  csrf,
  csrfTokens,
  setCookie,
  signedCookies,
} from '@fairlead/middleware';
import { multipart } from '@fairlead/multipart';
import { openTelemetry } from '@fairlead/opentelemetry';
import { createLogger, logErrors, logRequests } from '@fairlead/pino';
import { rateLimit } from '@fairlead/rate-limit';
import { session } from '@fairlead/session';
import { serveStatic } from '@fairlead/static';
import { openSqlite } from '@fairlead/store';
import { websocket } from '@fairlead/websocket';
import { Counter, register } from 'prom-client';
import { area } from '../src/mistake.js';
import { runProgram } from '../src/program.js';

const mistake = area('Options of the other packages');

const using = (middleware: AnyMiddleware) =>
  createApp()
    .use(middleware)
    .get('/', () => 1);
const setting = (set: (ctx: Context) => void) =>
  createApp().get('/', (ctx) => {
    set(ctx);
    return 1;
  });

mistake(
  '`setCookie(…, { httponly })`',
  { compiler: "'httponly'", request: "Did you mean 'httpOnly'?" },
  () => setting((ctx) => setCookie(ctx, 'theme', 'dark', { httponly: false })),
);

mistake(
  "`setCookie(…, { sameSite: 'Strict' })`",
  { compiler: '\'"Strict"\'', never: 'Any case works.' },
  () => setting((ctx) => setCookie(ctx, 'theme', 'dark', { sameSite: 'Strict' })),
);

mistake("`setCookie(…, { sameSite: 'none' })` without `secure`", { request: 'secure' }, () =>
  setting((ctx) => setCookie(ctx, 'theme', 'dark', { sameSite: 'none' })),
);

mistake("`setCookie(…, { maxAge: '1d' })`", { compiler: "'string'", request: 'maxAge' }, () =>
  setting((ctx) => setCookie(ctx, 'theme', 'dark', { maxAge: '1d' })),
);

mistake('`setCookie(…, { maxAge })` in milliseconds', { request: 'seconds' }, () =>
  setting((ctx) => setCookie(ctx, 'theme', 'dark', { maxAge: 86_400_000 })),
);

mistake('`setCookie(…, { expires: 3600 })`', { compiler: "'number'", request: 'expires' }, () =>
  setting((ctx) => setCookie(ctx, 'theme', 'dark', { expires: 3600 })),
);

mistake(
  '`setCookie(…, { signed })`, an option of Express',
  { compiler: "'signed'", request: "has no option 'signed'" },
  () => setting((ctx) => setCookie(ctx, 'theme', 'dark', { signed: true })),
);

mistake(
  '`setCookie(name, value)` without `ctx`',
  { compiler: 'arguments', request: 'Cannot set the cookie' },
  () => setting(() => setCookie('theme', 'dark')),
);

mistake('an object as the value of a cookie', { compiler: 'string', request: /string|JSON/ }, () =>
  setting((ctx) => setCookie(ctx, 'user', { id: 7 })),
);

mistake("`signedCookies('secret')`", { compiler: "'string'", startup: 'Pass an array' }, () =>
  signedCookies('a secret of more than thirty-two bytes'),
);

mistake('`signedCookies` with a short key', { startup: 'at least 32' }, () =>
  signedCookies(['secret']),
);

mistake(
  '`signedCookies([process.env.KEY])`, which is not set',
  { compiler: "'undefined'", startup: /key 0/ },
  () => signedCookies([process.env.COOKIE_KEY]),
);

mistake('`serveStatic` with a missing directory', { startup: 'Pass an existing directory' }, () =>
  using(serveStatic('./no-such-directory')),
);

mistake(
  '`serveStatic(root, { maxAge })`, an option of Express',
  { compiler: "'maxAge'", startup: "has no option 'maxAge'" },
  () => using(serveStatic('src', { maxAge: '1d' })),
);

mistake(
  "`serveStatic(root, { dotfiles: 'allowed' })`",
  { compiler: '"allowed"', startup: "'allow'" },
  () => using(serveStatic('src', { dotfiles: 'allowed' })),
);

mistake('`serveStatic(root, { index: true })`', { compiler: "'true'", startup: /index/ }, () =>
  using(serveStatic('src', { index: true })),
);

mistake(
  "`serveStatic(root, { prefix: 'assets' })` without a slash",
  { startup: "start the prefix with '/'" },
  () => using(serveStatic('src', { prefix: 'assets' })),
);

mistake("`serveStatic(root, { prefix: '/assets/*path' })`", { startup: 'wildcard' }, () =>
  using(serveStatic('src', { prefix: '/assets/*path' })),
);

mistake(
  "`app.use('/public', serveStatic(root, { prefix: '/assets' }))`",
  { startup: 'Omit one of the two prefixes' },
  () => createApp().use('/public', serveStatic('src', { prefix: '/assets' })),
);

mistake(
  '`serveStatic({ root })`, as in Fastify',
  { compiler: 'root', startup: /path|directory/ },
  () => using(serveStatic({ root: 'src' })),
);

mistake(
  "`serveStatic(root, '/assets')`",
  { compiler: '"/assets"', startup: 'must be an object' },
  () => using(serveStatic('src', '/assets')),
);

mistake(
  '`multipart({ fileSize })`, a limit outside of `limits`',
  { compiler: "'fileSize'", startup: "has no option 'fileSize'" },
  () => using(multipart({ fileSize: 1_000 })),
);

mistake(
  '`multipart({ limits: { filesize } })`',
  { compiler: "'filesize'", startup: "Did you mean 'fileSize'?" },
  () => using(multipart({ limits: { filesize: 1_000 } })),
);

mistake(
  "`multipart({ limits: { fileSize: '5mb' } })`",
  { compiler: "'string'", startup: 'fileSize' },
  () => using(multipart({ limits: { fileSize: '5mb' } })),
);

mistake(
  '`multipart({ dest })`, an option of multer',
  { compiler: "'dest'", startup: "has no option 'dest'" },
  () => using(multipart({ dest: 'uploads/' })),
);

mistake(
  "`multipart('photo')`, as `single()` of multer",
  { compiler: '"photo"', startup: 'must be an object' },
  () => using(multipart('photo')),
);

mistake(
  '`compression({ level })`, an option of the npm package compression',
  { compiler: "'level'", startup: "Did you mean 'levels'?" },
  () => using(compression({ level: 6 })),
);

mistake(
  "`compression({ threshold: '1kb' })`",
  { compiler: "'string'", startup: 'integer number of bytes' },
  () => using(compression({ threshold: '1kb' })),
);

mistake(
  "`compression({ encodings: ['deflate'] })`",
  { compiler: '"deflate"', startup: 'zstd, br, gzip' },
  () => using(compression({ encodings: ['deflate'] })),
);

mistake('`compression({ levels: { gzip: 10 } })`', { startup: 'from 1 to 9' }, () =>
  using(compression({ levels: { gzip: 10 } })),
);

mistake(
  "`compression({ types: ['application/*'] })`",
  { startup: 'media types without parameters' },
  () => using(compression({ types: ['application/*'] })),
);

mistake(
  '`rateLimit({ windowMs, max })`, options of express-rate-limit',
  { compiler: "'windowMs'", startup: "has no option 'windowMs'" },
  () => using(rateLimit({ windowMs: 60_000, max: 100 })),
);

mistake("`rateLimit({ duration: '1m' })`", { compiler: "'string'", startup: 'seconds' }, () =>
  using(rateLimit({ points: 100, duration: '1m' })),
);

mistake(
  '`rateLimit({ keyGenerator })`, an option of express-rate-limit',
  { compiler: "'keyGenerator'", startup: "has no option 'keyGenerator'" },
  () => using(rateLimit({ points: 100, duration: 60, keyGenerator: () => 'all' })),
);

mistake("`rateLimit({ onFailure: 'close' })`", { compiler: '"close"', startup: "'closed'" }, () =>
  using(rateLimit({ points: 100, duration: 60, onFailure: 'close' })),
);

mistake(
  'two `rateLimit()` of different sizes with one name and one store',
  { warning: 'counts together with a limit of 100 points' },
  () => {
    const store = { add: async () => ({ points: 1, msBeforeNext: 1_000 }) };
    const limit = (points: number) => rateLimit({ points, duration: 60, name: 'api', store });
    return using(limit(100)).post('/sign-in', limit(5), () => 1);
  },
);

mistake('`rateLimit()` without options', { compiler: 'arguments', startup: 'points' }, () =>
  using(rateLimit()),
);

mistake(
  '`rateLimit({ limiter })` without a method `consume`',
  { compiler: "'consume'", startup: 'consume' },
  () => using(rateLimit({ points: 100, duration: 60, limiter: {} })),
);

mistake('`rateLimit({ duration })` in milliseconds', { warning: 'seconds' }, () =>
  using(rateLimit({ points: 100, duration: 60_000 })),
);

mistake(
  '`openTelemetry({ includeStack })`, an option of `errorHandler`',
  { compiler: "'includeStack'", startup: "has no option 'includeStack'" },
  () => using(openTelemetry({ includeStack: true })),
);

mistake(
  '`connect` with an error handler of Express',
  { compiler: 'TS2769', startup: 'onError' },
  () => using(connect((_error: never, _req: never, _res: never, next: () => void) => next())),
);

mistake('`connect()` without middleware', { compiler: 'TS2769', startup: 'function' }, () =>
  using(connect(undefined)),
);

mistake("`connect(middleware, { state: 'user' })`", { compiler: 'TS2769', startup: 'state' }, () =>
  using(connect((_req, _res, next) => next(), { state: 'user' })),
);

mistake(
  "`connect(middleware, { states: ['user'] })`",
  { compiler: 'TS2769', startup: "Did you mean 'state'?" },
  () => using(connect((_req, _res, next) => next(), { states: ['user'] })),
);

mistake(
  '`connect(json())`, middleware of Fairlead',
  { request: 'received an instance of IncomingMessage instead of a context' },
  () => using(connect(json())),
);

mistake('`serve(createMyApp, { prot })`', { startup: "Did you mean 'port'?" }, () =>
  runProgram('await serve(createMyApp, { prot: 0 });'),
);

mistake(
  "`serve(createMyApp, { signals: ['SIGKILL'] })`, which no process receives",
  { startup: 'signals that a process can handle' },
  () => runProgram("await serve(createMyApp, { port: 0, signals: ['SIGKILL'] });"),
);

mistake('`serve(createMyApp, 8080)`', { startup: 'must be an object' }, () =>
  runProgram('await serve(createMyApp, 8080);'),
);

mistake('`serve(createMyApp)`', { startup: 'Pass an object' }, () =>
  runProgram('await serve(createMyApp);'),
);

mistake('`serve({ app, port })`', { startup: /createApp\(\)|application/ }, () =>
  runProgram('await serve({ app: createMyApp(), port: 0 });'),
);

mistake(
  '`serve(…)` of a function that returns no application',
  { startup: 'Return the application' },
  () => runProgram('await serve(() => { createMyApp(); }, { port: 0 });'),
);

mistake("`serve(createMyApp, { port: '8080' })`", { startup: 'Number()' }, () =>
  runProgram("await serve(createMyApp, { port: '8080' });"),
);

mistake("`serve(createMyApp, { timeout: '8s' })`", { startup: 'milliseconds' }, () =>
  runProgram("await serve(createMyApp, { port: 0, timeout: '8s' });"),
);

mistake(
  '`createHealth({ check })`',
  { compiler: "'check'", startup: "Did you mean 'checks'?" },
  () => createApp().route('/', createHealth({ check: () => undefined })),
);

mistake(
  '`createHealth({ checks: { store: store.check() } })`, a promise',
  { compiler: 'Promise', startup: 'Use a function' },
  () => createApp().route('/', createHealth({ checks: { store: Promise.resolve() } })),
);

mistake(
  '`createHealth({ stopping: controller })` instead of its signal',
  { compiler: "'AbortController'", startup: 'must be an AbortSignal' },
  () => createApp().route('/', createHealth({ stopping: new AbortController() })),
);

mistake(
  '`app.use(createHealth())`',
  { compiler: 'TS2769', startup: "app.route('/', router)" },
  () => createApp().use(createHealth()),
);

mistake(
  '`createMetrics({ path })`, which `router()` takes',
  { compiler: "'path'", startup: "has no option 'path'" },
  () => using(createMetrics({ path: '/metrics' }).middleware),
);

mistake('`createMetrics({ buckets })` in descending order', { startup: 'ascending order' }, () =>
  using(createMetrics({ buckets: [1, 0.1] }).middleware),
);

mistake(
  "`metrics.register()` with a name that Prometheus doesn't allow",
  { startup: 'name of a metric must be letters' },
  () => {
    const metrics = createMetrics({ processMetrics: false });
    metrics.register([{ name: 'jobs-waiting', help: 'Jobs.', type: 'gauge', value: () => 1 }]);
  },
);

mistake(
  'a `Counter` of prom-client in its default registry, which `createMetrics()` does not export',
  { warning: 'registers: [metrics.registry]' },
  async () => {
    const counter = new Counter({ name: 'orders_total', help: 'Orders.' });
    const metrics = createMetrics({ processMetrics: false });
    const app = using(metrics.middleware).route('/', metrics.router());
    const close = () => register.removeSingleMetric('orders_total');
    await app.plugin({ name: 'orders', install: () => counter.inc(), close });
    return app;
  },
);

mistake('metrics without a route for Prometheus', { request: 'Mount its router()' }, () =>
  using(createMetrics({ processMetrics: false }).middleware),
);

mistake('`app.use(createMetrics())`', { compiler: 'TS2769', startup: 'middleware' }, () =>
  createApp().use(createMetrics({ processMetrics: false })),
);

mistake(
  "`app.route('/', metrics.router)`",
  { compiler: 'TS2345', startup: 'instead of a router' },
  () => createApp().route('/', createMetrics({ processMetrics: false }).router),
);

mistake(
  '`createLambdaHandler(createMyApp())`, a promise of the application',
  { compiler: 'Promise', startup: 'Await it' },
  () => {
    createLambdaHandler(Promise.resolve(createApp()));
    return createApp();
  },
);

mistake(
  '`createLambdaHandler(app, { basePath: "api" })` without a leading slash',
  { startup: "must be a path such as '/api'" },
  () => {
    createLambdaHandler(createApp(), { basePath: 'api' });
    return createApp();
  },
);

const SECRET = 'a secret of more than thirty-two bytes';

mistake(
  '`session({ secret })`, an option of express-session',
  { compiler: "'secret'", startup: "Did you mean 'keys'?" },
  () => using(session({ secret: SECRET })),
);

mistake('`session()` without options', { compiler: 'arguments', startup: 'keys' }, () =>
  using(session()),
);

mistake('`session({ name })` without `keys` or `store`', { startup: 'keys' }, () =>
  using(session({ name: 'users' })),
);

mistake('`session({ keys })` with a short key', { startup: 'at least 32' }, () =>
  using(session({ keys: ['secret'] })),
);

mistake(
  '`session({ keys: [process.env.KEY] })`, which is not set',
  { compiler: "'undefined'", startup: 'keys[0]' },
  () => using(session({ keys: [process.env.SESSION_KEY] })),
);

mistake(
  "`session({ idleTimeout: '30m' })`",
  { compiler: "'string'", startup: 'integer number of milliseconds' },
  () => using(session({ keys: [SECRET], idleTimeout: '30m' })),
);

mistake('`session({ idleTimeout: 1800 })`, in seconds', { warning: 'If you mean seconds' }, () =>
  using(session({ keys: [SECRET], idleTimeout: 1_800 })),
);

mistake(
  '`session({ store: new Map() })`',
  { compiler: 'SessionStore', startup: 'read, write and delete' },
  () => using(session({ store: new Map() })),
);

mistake(
  "`csrf({ origins: 'https://admin.example.com' })`",
  { compiler: "'string'", startup: 'an array of origins' },
  () => using(csrf({ origins: 'https://admin.example.com' })),
);

mistake(
  "`csrf({ origins: ['https://admin.example.com/'] })`",
  { startup: 'a trailing slash' },
  () => using(csrf({ origins: ['https://admin.example.com/'] })),
);

mistake(
  '`csrf({ ignoreMethods })`, an option of csurf',
  { compiler: "'ignoreMethods'", startup: "has no option 'ignoreMethods'" },
  () => using(csrf({ ignoreMethods: ['GET'] })),
);

mistake(
  '`csrfTokens({ keys })` without `session`',
  { compiler: "'session'", startup: 'needs session' },
  () => using(csrf({ tokens: csrfTokens({ keys: [SECRET] }) })),
);

mistake(
  '`createJwtAuth({ secret })` without `issuer` and `audience`',
  { compiler: 'issuer, audience', startup: /needs issuer[^]*needs audience/ },
  () => using(createJwtAuth({ secret: SECRET }).middleware),
);

mistake('`createJwtAuth({ issuer, audience })` without a key', { startup: 'needs a key' }, () =>
  using(createJwtAuth({ issuer: 'login', audience: 'api' }).middleware),
);

mistake('`createJwtAuth({ secret })` with a short secret', { startup: '32' }, () =>
  using(createJwtAuth({ issuer: 'login', audience: 'api', secret: 'secret' }).middleware),
);

mistake("`createJwtAuth({ algorithms: ['none'] })`", { startup: 'algorithms' }, () =>
  using(
    createJwtAuth({ issuer: 'login', audience: 'api', secret: SECRET, algorithms: ['none'] })
      .middleware,
  ),
);

mistake(
  '`createJwtAuth({ ignoreExpiration })`, an option of jsonwebtoken',
  { compiler: "'ignoreExpiration'", startup: "has no option 'ignoreExpiration'" },
  () =>
    using(
      createJwtAuth({ issuer: 'login', audience: 'api', secret: SECRET, ignoreExpiration: true })
        .middleware,
    ),
);

mistake('`app.use(createJwtAuth(…))`', { compiler: 'TS2769', startup: 'middleware' }, () =>
  createApp().use(createJwtAuth({ issuer: 'login', audience: 'api', secret: SECRET })),
);

mistake('`requireRole()` without a role', { compiler: 'arguments', startup: 'requireRole()' }, () =>
  using(requireRole()),
);

mistake(
  "`createLogger({ level: 'verbose' })`",
  { compiler: '"verbose"', startup: "'trace', 'debug', 'info'" },
  () => using(logRequests(createLogger({ level: 'verbose' }))),
);

mistake(
  '`createLogger({ prettyPrint })`, an option of older versions of pino',
  { compiler: "'prettyPrint'", startup: "has no option 'prettyPrint'" },
  () => using(logRequests(createLogger({ prettyPrint: true }))),
);

mistake(
  '`logRequests()` without a logger',
  { compiler: 'arguments', startup: 'a pino logger' },
  () => using(logRequests()),
);

mistake(
  '`logRequests({ quiet })` without a logger',
  { compiler: "'quiet'", startup: 'a pino logger' },
  () => using(logRequests({ quiet: () => true })),
);

mistake('`logErrors(console)`', { compiler: "'Console'", startup: 'a pino logger' }, () =>
  createApp({ onError: logErrors(console) }),
);

const STORE = {
  program: 'notes',
  setting: 'NOTES_FILE',
  applicationId: 7,
  migrations: ['CREATE TABLE notes (text TEXT) STRICT'],
  statements: { add: 'INSERT INTO notes VALUES (?)' },
  prepare: () => ({}),
};

mistake(
  '`openSqlite(path)` without options',
  { compiler: 'arguments', startup: 'needs the option migrations' },
  () => openSqlite('notes.db'),
);

mistake(
  '`openSqlite(process.env.NOTES_FILE, …)`, which is not set',
  { compiler: "'undefined'", startup: 'path of openSqlite() must be the path of a file' },
  () => openSqlite(process.env.NOTES_FILE, STORE),
);

mistake(
  '`openSqlite(path, { migrate })`',
  { compiler: "'migrate'", startup: "has no option 'migrate'" },
  () => openSqlite('notes.db', { ...STORE, migrate: true }),
);

mistake(
  '`openSqlite(path, { migrations })` with one text instead of an array',
  { compiler: "'string'", startup: 'a non-empty array of SQL' },
  () => openSqlite('notes.db', { ...STORE, migrations: 'CREATE TABLE notes (text TEXT) STRICT' }),
);

mistake(
  "`openSqlite(path, { timeout: '5s' })`",
  { compiler: "'string'", startup: 'integer number of milliseconds' },
  () => openSqlite('notes.db', { ...STORE, timeout: '5s' }),
);

mistake(
  '`websocket()` without a handler',
  { compiler: 'arguments', startup: 'Pass a function (socket, ctx)' },
  () => createApp().get('/', websocket()),
);

mistake(
  '`websocket({ maxMessageSize })` without a handler',
  { compiler: "'maxMessageSize'", startup: 'Pass a function (socket, ctx)' },
  () => createApp().get('/', websocket({ maxMessageSize: 1_024 })),
);

mistake(
  '`websocket(handler, { maxPayload })`, an option of ws',
  { compiler: "'maxPayload'", startup: "has no option 'maxPayload'" },
  () =>
    createApp().get(
      '/',
      websocket(() => undefined, { maxPayload: 1_024 }),
    ),
);

mistake(
  "`websocket(handler, { origins: 'https://app.example.com' })`",
  { compiler: 'TS2322', startup: 'an array of origins' },
  () =>
    createApp().get(
      '/',
      websocket(() => undefined, { origins: 'https://app.example.com' }),
    ),
);

mistake(
  "`websocket(handler, { maxMessageSize: '64kb' })`",
  { compiler: "'string'", startup: 'integer number of bytes' },
  () =>
    createApp().get(
      '/',
      websocket(() => undefined, { maxMessageSize: '64kb' }),
    ),
);
