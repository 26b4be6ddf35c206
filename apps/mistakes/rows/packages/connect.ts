import { connect } from '@fairlead/connect';
import { createApp, json } from '@fairlead/core';
import { using } from '../../src/applications.js';
import { area, post } from '../../src/mistake.js';

const mistake = area('Options of @fairlead/connect');

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

mistake(
  '`connect(handler)`, with a handler of web requests',
  { startup: "app.mount('/prefix', handler)" },
  () => using(connect((_request: never) => new Response('hi'))),
);

mistake(
  '`connect(app)`, with an application that has `fetch()`',
  { compiler: 'TS2769', startup: "app.mount('/prefix', handler)" },
  () => using(connect({ fetch: () => new Response('hi') })),
);

mistake(
  '`connect(list)`, with a list of middleware',
  { compiler: 'TS2769', startup: 'list.map((one) => connect(one))' },
  () => using(connect([(_req: never, _res: never, next: () => void) => next()])),
);

mistake(
  '`method-override` before routes of Fairlead',
  { warning: 'does not change which route of Fairlead handles a request' },
  () =>
    using(
      connect(function methodOverride(_req, _res, next) {
        next();
      }),
    ),
);

mistake(
  'Express middleware reads a body after a parser that kept no bytes',
  { request: 'which has already been read' },
  () =>
    createApp()
      .use((ctx, next) => json()(ctx, next))
      .post(
        '/',
        connect((req, res) => req.pipe(res)),
        () => 'not called',
      ),
  post('/', {}),
);
