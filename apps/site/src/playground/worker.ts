// Before the packages, which use globals of Node.js.

import * as controllers from '@fairlead/controllers';
import * as core from '@fairlead/core';
import * as extend from '@fairlead/core/extend';
import * as di from '@fairlead/di';
import * as serve from '@fairlead/serve';
import type { Report } from './program.ts';
import { connectProgram, inspect, PROGRAM_URL } from './shims.ts';

/** The members of a dedicated worker. */
interface Scope {
  onmessage: (event: { readonly data: string }) => void;
  postMessage(report: Report): void;
  addEventListener(
    type: 'unhandledrejection',
    listener: (event: { readonly reason: unknown }) => void,
  ): void;
}

const PACKAGES: Readonly<Record<string, object>> = {
  '@fairlead/controllers': controllers,
  '@fairlead/core': core,
  '@fairlead/core/extend': extend,
  '@fairlead/di': di,
  '@fairlead/serve': serve,
  'reflect-metadata': {},
};

const EXPOSED = Symbol.for('fairlead:playground');
Object.assign(globalThis, { [EXPOSED]: PACKAGES });

/** The URL of each package: a module with its exports. */
const URLS = new Map(
  Object.entries(PACKAGES).map(([name, exported]) => [
    name,
    toUrl(
      `const { ${Object.keys(exported)} } = globalThis[Symbol.for('fairlead:playground')]['${name}'];
export { ${Object.keys(exported)} };`,
    ),
  ]),
);

function toUrl(source: string): string {
  return `data:text/javascript,${encodeURIComponent(source).replaceAll("'", '%27')}`;
}

/** Matches the module of an import. */
const IMPORT = /(\bfrom\s*|\bimport\s*\(?\s*)(['"])([\w@][^'"\n]*)\2/g;

async function run(source: string): Promise<void> {
  const missing = [...source.matchAll(IMPORT)].find(([, , , name = '']) => !URLS.has(name));
  if (missing !== undefined) {
    const names = [...URLS.keys()].filter((name) => !name.includes('-')).join(', ');
    throw new Error(`The playground has no module '${missing[3]}'. It has ${names}.`);
  }
  const linked = source.replaceAll(
    IMPORT,
    (_, start: string, quote: string, name: string) => `${start}${quote}${URLS.get(name)}${quote}`,
  );
  await import(toUrl(`${linked}\n//# sourceURL=${PROGRAM_URL}`));
}

/** Formats an error that ends the program, which may name the URL of a package. */
function describe(error: unknown): string {
  return [...URLS].reduce((text, [name, url]) => text.replaceAll(url, name), inspect(error));
}

const scope = globalThis as unknown as Scope;
connectProgram(
  (text, isWarning) => scope.postMessage({ text, isWarning }),
  (code) => scope.postMessage({ code }),
);
const fail = (error: unknown): void => {
  console.error(describe(error));
  process.exit(1);
};
scope.onmessage = ({ data }) => {
  run(data).then(() => scope.postMessage({ code: undefined }), fail);
};
scope.addEventListener('unhandledrejection', ({ reason }) => fail(reason));
