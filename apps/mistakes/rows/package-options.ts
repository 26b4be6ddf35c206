import { createLambdaHandler } from '@fairlead/aws-lambda';
import { compression } from '@fairlead/compression';
import { connect } from '@fairlead/connect';
import { setCookie, signedCookies } from '@fairlead/cookies';
import { type Context, createApp, json, type Middleware } from '@fairlead/core';
import { createHealth } from '@fairlead/health';
import { createMetrics } from '@fairlead/metrics';
import { multipart } from '@fairlead/multipart';
import { openTelemetry } from '@fairlead/opentelemetry';
import { rateLimit } from '@fairlead/rate-limit';
import { serveStatic } from '@fairlead/static';
import { area } from '../src/mistake.js';
import { runProgram } from '../src/program.js';

const mistake = area('Options of the other packages');

const using = (middleware: Middleware) =>
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

mistake('`setCookie(…, { maxAge })` in milliseconds', { never: 'It is a valid age.' }, () =>
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
  '`serveStatic({ root })`, as in Fastify',
  { compiler: 'root', startup: /path|directory/ },
  () => using(serveStatic({ root: 'src' })),
);

mistake(
  "`serveStatic(root, '/assets')`",
  { compiler: '"/assets"', startup: 'Pass an object' },
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
  { compiler: '"photo"', startup: 'Pass an object' },
  () => using(multipart('photo')),
);

mistake(
  '`compression({ level })`, an option of the npm package compression',
  { compiler: "'level'", startup: "Did you mean 'levels'?" },
  () => using(compression({ level: 6 })),
);

mistake(
  "`compression({ threshold: '1kb' })`",
  { compiler: "'string'", startup: 'integer of bytes' },
  () => using(compression({ threshold: '1kb' })),
);

mistake(
  "`compression({ encodings: ['deflate'] })`",
  { compiler: '"deflate"', startup: 'zstd, br, gzip' },
  () => using(compression({ encodings: ['deflate'] })),
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

mistake('`rateLimit()` without options', { compiler: 'arguments', startup: 'points' }, () =>
  using(rateLimit()),
);

mistake(
  '`rateLimit({ limiter })` without a method `consume`',
  { compiler: "'consume'", startup: 'consume' },
  () => using(rateLimit({ points: 100, duration: 60, limiter: {} })),
);

mistake('`rateLimit({ duration })` in milliseconds', { never: 'It is a valid duration.' }, () =>
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

mistake('`connect(json())`, middleware of Fairlead', { request: 'next is not a function' }, () =>
  using(connect(json())),
);

mistake('`serve(createMyApp, { prot })`', { startup: "Did you mean 'port'?" }, () =>
  runProgram('await serve(createMyApp, { prot: 0 });'),
);

mistake('`serve(createMyApp, 8080)`', { startup: 'Pass an object' }, () =>
  runProgram('await serve(createMyApp, 8080);'),
);

mistake('`serve(createMyApp)`', { startup: 'Pass an object' }, () =>
  runProgram('await serve(createMyApp);'),
);

mistake('`serve({ app, port })`', { startup: /createApp\(\)|application/ }, () =>
  runProgram('await serve({ app: createMyApp(), port: 0 });'),
);

mistake('`serve(…)` of a function that returns no application', { startup: 'createApp()' }, () =>
  runProgram('await serve(() => { createMyApp(); }, { port: 0 });'),
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
  { compiler: "'AbortController'", startup: 'Use an AbortSignal' },
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
  { startup: "Use a path such as '/api'" },
  () => {
    createLambdaHandler(createApp(), { basePath: 'api' });
    return createApp();
  },
);
