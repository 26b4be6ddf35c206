import { createApp } from '@fairlead/core';
import { createJwtAuth, requireRole } from '@fairlead/jwt';
import { using } from '../../src/applications.js';
import { area } from '../../src/mistake.js';

const mistake = area('Options of @fairlead/jwt');

const SECRET = 'a secret of more than thirty-two bytes';

mistake(
  '`createJwtAuth({ secret })` without `issuer` and `audience`',
  { compiler: 'issuer, audience', startup: /needs issuer[^]*needs audience/ },
  () => using(createJwtAuth({ secret: SECRET }).middleware),
);

mistake('`createJwtAuth({ issuer, audience })` without a key', { startup: 'needs a key' }, () =>
  using(createJwtAuth({ issuer: 'login', audience: 'api' }).middleware),
);

mistake('`createJwtAuth({ secret })` with a short secret', { startup: '32' }, () =>
  using(createJwtAuth({ issuer: 'login', audience: 'api', secret: 'secret' }).middleware),
);

mistake("`createJwtAuth({ algorithms: ['none'] })`", { startup: 'algorithms' }, () =>
  using(
    createJwtAuth({ issuer: 'login', audience: 'api', secret: SECRET, algorithms: ['none'] })
      .middleware,
  ),
);

mistake(
  '`createJwtAuth({ ignoreExpiration })`, an option of jsonwebtoken',
  { compiler: "'ignoreExpiration'", startup: "has no option 'ignoreExpiration'" },
  () =>
    using(
      createJwtAuth({ issuer: 'login', audience: 'api', secret: SECRET, ignoreExpiration: true })
        .middleware,
    ),
);

mistake(
  '`app.use(createJwtAuth(…))`',
  { compiler: 'provides no match for the signature', startup: 'middleware' },
  () => createApp().use(createJwtAuth({ issuer: 'login', audience: 'api', secret: SECRET })),
);

mistake('`requireRole()` without a role', { compiler: 'arguments', startup: 'requireRole()' }, () =>
  using(requireRole()),
);
