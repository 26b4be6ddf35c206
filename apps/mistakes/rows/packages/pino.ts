import { createApp } from '@fairlead/core';
import { createLogger, logErrors, logRequests } from '@fairlead/pino';
import { using } from '../../src/applications.js';
import { area } from '../../src/mistake.js';

const mistake = area('Options of @fairlead/pino');

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
