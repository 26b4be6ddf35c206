import { session } from '@fairlead/session';
import { using } from '../../src/applications.js';
import { area } from '../../src/mistake.js';

const mistake = area('Options of @fairlead/session');

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
  '`session({ keys, user })`, whose sessions nobody can list',
  { startup: 'Pass a store' },
  () => using(session({ keys: [SECRET], user: 'id' })),
);
