import { connect } from '@fairlead/connect';
import { json } from '@fairlead/core';
import { using } from '../../src/applications.js';
import { area } from '../../src/mistake.js';

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
