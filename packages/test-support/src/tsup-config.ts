import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Options } from 'tsup';

type Plugin = NonNullable<Options['plugins']>[number];

/** What tsup builds. An interface, so that the types of the configurations can name it. */
export interface BuildConfig extends Options {
  readonly tsconfig: string;
}

/** Writes source maps for the tools of this repository. Tarballs have none, so no file refers to them. */
const localSourceMaps: Plugin = {
  name: 'local-source-maps',
  async renderChunk(_code, info) {
    if (info.type !== 'chunk' || typeof info.map !== 'string') return;
    await mkdir(dirname(info.path), { recursive: true });
    await writeFile(`${info.path}.map`, info.map);
    info.map = null;
  },
};

/**
 * Builds a package for publishing: its modules and their declarations, in `dist`.
 *
 * @param options - What this package builds differently.
 */
export function buildConfig(options: Options = {}): BuildConfig {
  return {
    entry: ['src/index.ts'],
    tsconfig: '../../tsconfig.build.json',
    format: 'esm',
    target: 'node22',
    dts: true,
    sourcemap: true,
    // The script build:js must not delete the declarations. When tsup writes them, it deletes the old ones.
    clean: ['!**/*.d.ts'],
    plugins: [localSourceMaps],
    ...options,
  };
}
