import { type Context, createApp } from '@fairlead/core';
import {
  compression,
  cors,
  createHealth,
  csrf,
  csrfTokens,
  currentContext,
  etag,
  requestId,
  requestLogger,
  secureHeaders,
  setCookie,
  signedCookies,
  timeout,
} from '@fairlead/middleware';
import { overload } from '@fairlead/middleware/overload';
import { using } from '../../src/applications.js';
import { area } from '../../src/mistake.js';

const mistake = area('Options of @fairlead/middleware');

const setting = (set: (ctx: Context) => void) =>
  createApp().get('/', (ctx) => {
    set(ctx);
    return 1;
  });

const SECRET = 'a secret of more than thirty-two bytes';

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
  { compiler: 'provides no match for the signature', startup: "app.route('/', router)" },
  () => createApp().use(createHealth()),
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

mistake('`cors({ origins })`', { compiler: "'origins'", startup: "has no option 'origins'" }, () =>
  using(cors({ origins: ['https://app.example'] })),
);

mistake('`cors({ credentials: true })` for every origin', { startup: 'Set origin' }, () =>
  using(cors({ credentials: true })),
);

mistake(
  '`cors({ origin: /example\\.com/, credentials: true })`, which is not anchored',
  { warning: 'Begin the RegExp with ^' },
  () => using(cors({ origin: /example\.com/, credentials: true })),
);

mistake('`cors({ origin })` with a list in one string', { startup: 'array of origins' }, () =>
  using(cors({ origin: 'https://a.example, https://b.example' })),
);

mistake(
  '`cors({ origin: process.env.ORIGIN })`, which is not set',
  { compiler: "'undefined'", startup: 'cannot use undefined as origin' },
  () => using(cors({ origin: process.env.ORIGIN })),
);

mistake("`cors('https://app.example')`", { compiler: 'https', startup: 'must be an object' }, () =>
  using(cors('https://app.example')),
);

mistake(
  '`requestId({ headerName })`',
  { compiler: "'headerName'", startup: "has no option 'headerName'" },
  () => using(requestId({ headerName: 'X-Id' })),
);

mistake(
  "`requestId({ create })` with the function's result",
  { compiler: 'TS2322', startup: 'must be a function' },
  () => using(requestId({ create: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6' })),
);

mistake("`requestId({ header: 'X Request Id' })`", { startup: 'X Request Id' }, () =>
  using(requestId({ header: 'X Request Id' })),
);

mistake(
  "`requestLogger('dev')`, as morgan",
  { compiler: 'TS2559', startup: 'must be an object' },
  () => using(requestLogger('dev')),
);

mistake(
  '`requestLogger({ format })`',
  { compiler: "'format'", startup: "has no option 'format'" },
  () => using(requestLogger({ format: 'tiny' })),
);

mistake(
  '`requestLogger({ logger })` with a function',
  { compiler: 'TS2322', startup: 'info' },
  () => using(requestLogger({ logger: (line: string) => void line })),
);

mistake(
  '`secureHeaders({ contentSecurityPolicy: false })`, as helmet',
  { startup: 'Content-Security-Policy' },
  () => using(secureHeaders({ contentSecurityPolicy: false })),
);

mistake(
  "`secureHeaders({ 'X-Frame-Options': true })`",
  { compiler: "'true'", startup: 'X-Frame-Options' },
  () => using(secureHeaders({ 'X-Frame-Options': true })),
);

mistake("`timeout('5s')`", { compiler: "'string'", startup: 'an integer' }, () =>
  using(timeout('5s')),
);

mistake('`timeout({ ms })`', { compiler: 'number', startup: 'an integer' }, () =>
  using(timeout({ ms: 5_000 })),
);

mistake('`createHealth()` after `overload()`', { warning: 'which is for probes' }, () =>
  createApp().use(overload()).route('/', createHealth()),
);

mistake('`overload({ limit: 0 })`', { startup: 'an integer of at least 1' }, () =>
  using(overload({ limit: 0 })),
);

mistake('`timeout(5)`, in seconds', { warning: 'milliseconds' }, () =>
  createApp()
    .use(timeout(5))
    .get('/', () => 1),
);

mistake('`etag({ weak })`', { compiler: 'arguments', startup: "has no option 'weak'" }, () =>
  using(etag({ weak: true })),
);

mistake(
  '`currentContext()` without `shareContext()`',
  { compiler: 'TS2532', request: "reading 'path'" },
  () => createApp().get('/', () => currentContext().path),
);
