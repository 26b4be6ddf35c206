import { createApp } from '@fairlead/core';
import { serveStatic } from '@fairlead/static';
import { using } from '../../src/applications.js';
import { area } from '../../src/mistake.js';

const mistake = area('Options of @fairlead/static');

mistake('`serveStatic` with a missing directory', { startup: 'Pass an existing directory' }, () =>
  using(serveStatic('./no-such-directory')),
);

mistake(
  '`serveStatic(root, { maxAge })`, an option of Express',
  { compiler: "'maxAge'", startup: "has no option 'maxAge'" },
  () => using(serveStatic('src', { maxAge: '1d' })),
);

mistake(
  "`serveStatic(root, { dotfiles: 'allowed' })`",
  { compiler: '"allowed"', startup: "'allow'" },
  () => using(serveStatic('src', { dotfiles: 'allowed' })),
);

mistake('`serveStatic(root, { index: true })`', { compiler: "'true'", startup: /index/ }, () =>
  using(serveStatic('src', { index: true })),
);

mistake(
  "`serveStatic(root, { prefix: 'assets' })` without a slash",
  { startup: "start the prefix with '/'" },
  () => using(serveStatic('src', { prefix: 'assets' })),
);

mistake("`serveStatic(root, { prefix: '/assets/*path' })`", { startup: 'wildcard' }, () =>
  using(serveStatic('src', { prefix: '/assets/*path' })),
);

mistake(
  "`app.use('/public', serveStatic(root, { prefix: '/assets' }))`",
  { startup: 'Omit one of the two prefixes' },
  () => createApp().use('/public', serveStatic('src', { prefix: '/assets' })),
);

mistake(
  '`serveStatic({ root })`, as in Fastify',
  { compiler: 'root', startup: /path|directory/ },
  () => using(serveStatic({ root: 'src' })),
);

mistake(
  "`serveStatic(root, '/assets')`",
  { compiler: '"/assets"', startup: 'must be an object' },
  () => using(serveStatic('src', '/assets')),
);
