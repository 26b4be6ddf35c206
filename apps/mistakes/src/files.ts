import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ControllersPluginOptions, controllersPlugin } from '@fairlead/controllers';
import type { Application } from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import { serveRouter } from './applications.js';

/** Holds the files of all mistakes. Ignored by git, and inside the package, where imports resolve as usual. */
export const FILES = fileURLToPath(new URL('../reports/files/', import.meta.url));

/** The package's tsconfig.json does not cover the files. */
const TSCONFIG = '{ "extends": "../../../tsconfig.json", "include": ["."] }';

/**
 * Writes files into a new directory.
 *
 * @param files - Source by path.
 * @returns The path of the directory.
 */
export async function writeFiles(files: Readonly<Record<string, string>>): Promise<string> {
  await mkdir(FILES, { recursive: true });
  const directory = await mkdtemp(join(FILES, 'src-'));
  for (const [path, source] of Object.entries({ ...files, 'tsconfig.json': TSCONFIG })) {
    const file = join(directory, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, source);
  }
  return directory;
}

/** What the files of {@link discover} import, unless they begin with an import. */
const IMPORTS = `import * as controllers from '@fairlead/controllers';
import * as di from '@fairlead/di';
const { Body, Controller, Get, Param, Post, UseGuard } = controllers;
const { Inject, Service } = di;
`;

/**
 * Creates an application whose controllers are discovered in a directory.
 *
 * @param files - Source by path. A file without imports can use the decorators.
 * @param options - The plugin's options, with `root` relative to the directory.
 */
export async function discover(
  files: Readonly<Record<string, string>>,
  { root = '.', ...options }: Partial<ControllersPluginOptions & { root: string }> = {},
): Promise<Application> {
  const sources = Object.entries(files).map(
    ([path, source]) =>
      [path, /^import|^"use strict"/m.test(source) ? source : IMPORTS + source] as const,
  );
  const directory = await writeFiles(Object.fromEntries(sources));
  return serveRouter((router) =>
    controllersPlugin({
      router,
      container: createContainer(),
      root: join(directory, root),
      ...options,
    }),
  );
}
