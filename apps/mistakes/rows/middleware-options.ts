import { createApp, type Middleware } from '@fairlead/core';
import {
  cors,
  currentContext,
  etag,
  requestId,
  requestLogger,
  secureHeaders,
  timeout,
} from '@fairlead/middleware';
import { area } from '../src/mistake.js';

const mistake = area('Options of the other packages');

const using = (middleware: Middleware) =>
  createApp()
    .use(middleware)
    .get('/', () => 1);

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
