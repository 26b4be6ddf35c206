import { rateLimit } from '@fairlead/rate-limit';
import { using } from '../../src/applications.js';
import { area } from '../../src/mistake.js';

const mistake = area('Options of @fairlead/rate-limit');

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
