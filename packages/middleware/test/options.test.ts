import { testOptions } from '@fairlead/test-support/option-tests';
import { requestId } from '../src/index.js';

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
]);
