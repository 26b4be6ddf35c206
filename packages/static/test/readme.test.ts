import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  createApp,
  errorHandler,
  InvalidPatternError,
  NotFoundError,
  type Problem,
} from '@fairlead/core';
import { errorsOf } from '@fairlead/test-support/errors-page';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type SendFileOptions,
  type StaticOptions,
  StaticRootError,
  serveStatic,
} from '../src/index.js';
import { provideFolder } from './support/folder.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const readme = await readFile(join(root, 'README.md'), 'utf8');
describe('the documents', () => {
  const folder = provideFolder();
  beforeAll(() => symlink('loop', join(folder.root, 'loop')));

  it('list every option', () => {
    const options: Required<StaticOptions> = {
      prefix: '/',
      index: false,
      extensions: [],
      fallback: 'index.html',
      dotfiles: 'deny',
      symlinks: 'follow',
      precompressed: false,
      cacheControl: false,
      headers: () => ({}),
      public: 'Everyone may read them.',
    };
    const ofSendFile: Required<SendFileOptions> = {
      root: '.',
      dotfiles: 'deny',
      symlinks: 'follow',
      precompressed: false,
      cacheControl: false,
    };
    const listed = [...readme.matchAll(/^\| `([a-z]\w+)` /gm)].map(([, option]) => option);
    expect(listed).toEqual([...Object.keys(options), ...Object.keys(ofSendFile)]);
  });

  it('list every error with its code and status', async () => {
    const app = createApp().use(
      errorHandler({ onError: () => undefined }),
      serveStatic(folder.root, { dotfiles: 'deny' }),
    );
    const failing: [string, Record<string, string>][] = [
      ['/%', {}],
      ['/.env', {}],
      ['/a.txt', { 'If-Match': '"other"' }],
      ['/a.txt', { Range: 'bytes=99-' }],
      ['/loop', {}],
    ];
    const problems = await Promise.all(
      failing.map(async ([path, headers]): Promise<Problem> => {
        const response = await app.request(path, { headers });
        return (await response.json()) as Problem;
      }),
    );
    const rows = [
      ...errorsOf('static').matchAll(/^\| `(\w+Error)` +\| `([A-Z_]+)` +\| (\d*) *\|/gm),
    ].map(([, name, code, status]) => [name, code, status]);
    expect(rows).toEqual([
      ...problems.map(({ code, status }) => ['HttpError', code, String(status)]),
      ['HttpError', new NotFoundError().code, '404'],
      ['StaticRootError', new StaticRootError('').code, ''],
      ['InvalidPatternError', new InvalidPatternError('', '').code, ''],
      ['SetupError', 'INVALID_OPTION', ''],
    ]);
  });
});
