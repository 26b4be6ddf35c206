import { testOptions } from '@fairlead/test-support/option-tests';
import { requestId, requestLogger } from '../src/index.js';

testOptions([
  [
    'requestId()',
    requestId,
    {
      header: ['X Id', "'X Id'", "the name of a header, such as 'X-Request-Id'"],
      trust: ['false', "'false'", 'true or false'],
      create: ['log', "'log'", 'a function'],
    },
  ],
  [
    'requestLogger()',
    requestLogger,
    {
      logger: [
        { log: () => undefined },
        'an object',
        'a logger with an info() method, such as console, or a stream',
      ],
      now: [0, '0', 'a function'],
    },
  ],
]);
