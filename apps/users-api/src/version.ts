import { createRequire } from 'node:module';

/** The version in package.json. */
export const { version: VERSION } = createRequire(import.meta.url)('../package.json') as {
  readonly version: string;
};
