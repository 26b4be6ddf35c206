import { multipart } from '@fairlead/multipart';
import { using } from '../../src/applications.js';
import { area } from '../../src/mistake.js';

const mistake = area('Options of @fairlead/multipart');

mistake(
  '`multipart({ fileSize })`, a limit outside of `limits`',
  { compiler: "'fileSize'", startup: "has no option 'fileSize'" },
  () => using(multipart({ fileSize: 1_000 })),
);

mistake(
  '`multipart({ limits: { filesize } })`',
  { compiler: "'filesize'", startup: "Did you mean 'fileSize'?" },
  () => using(multipart({ limits: { filesize: 1_000 } })),
);

mistake(
  "`multipart({ limits: { fileSize: '5mb' } })`",
  { compiler: "'string'", startup: 'fileSize' },
  () => using(multipart({ limits: { fileSize: '5mb' } })),
);

mistake(
  '`multipart({ dest })`, an option of multer',
  { compiler: "'dest'", startup: "has no option 'dest'" },
  () => using(multipart({ dest: 'uploads/' })),
);

mistake(
  "`multipart('photo')`, as `single()` of multer",
  { compiler: '"photo"', startup: 'must be an object' },
  () => using(multipart('photo')),
);
