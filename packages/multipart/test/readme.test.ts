import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorsOf } from '@fairlead/test-support/errors-page';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const OF_CORE = ['UNSUPPORTED_MEDIA_TYPE', 'MALFORMED_JSON', 'JSON_TOO_DEEP', 'FORBIDDEN_KEY'];

describe('docs/errors.md', () => {
  it('lists every code in the source', async () => {
    const sources = await Promise.all(
      ['disposition', 'form-reader', 'limits', 'parts', 'rules'].map((name) =>
        readFile(join(root, `src/${name}.ts`), 'utf8'),
      ),
    );
    const thrown = sources.join().matchAll(/(?:code|Size|files|fields|parts|Pairs): '([A-Z_]+)'/g);
    const listed = errorsOf('multipart').matchAll(/^\| \d{3}(?:, \d{3})* +\| `([A-Z_]+)` /gm);
    const codes = [...listed].map(([, code]) => code);
    const expected = new Set([...thrown].map(([, code]) => code));
    expect(codes.toSorted()).toEqual([...expected, ...OF_CORE].toSorted());
  });
});
