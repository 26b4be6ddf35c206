import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ListenOptions } from '@fairlead/core';
import { describe, expect, it } from 'vitest';
import type { ConfigOptions, ServeOptions } from '../src/index.js';

const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');

/** The options of this package, without those of `listen`. */
type OwnOption = Exclude<keyof ServeOptions, keyof ListenOptions>;

describe("the README's table", () => {
  it('lists every option', () => {
    const options: Readonly<Record<OwnOption, true>> = {
      port: true,
      operationsPort: true,
      delay: true,
      timeout: true,
      deadline: true,
      onListen: true,
      name: true,
      logger: true,
      signals: true,
      onClose: true,
      onUncaught: true,
      onAbandon: true,
      describeError: true,
    };
    const config: Readonly<Record<keyof ConfigOptions, true>> = { files: true, showValues: true };
    const listed = [...readme.matchAll(/^\| `([a-z]\w+)` /gm)].map(([, option]) => option);
    expect(listed).toEqual([...Object.keys(options), ...Object.keys(config)]);
  });
});
