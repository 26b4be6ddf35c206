import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, relative, resolve, sep } from 'node:path';
import type { Command } from 'commander';
import {
  acceptModule,
  findModule,
  importOpenapi,
  nodeArguments,
  withApplication,
} from '../application.js';
import { DocumentError, type GeneratedClient, generateClient } from '../client/index.js';
import { fetchDocument, readDocument, type Source, splitUrl } from '../document-source.js';
import { LoadError, UsageError } from '../errors.js';
import { count, print, printError, refuseFile } from '../output.js';
import { parseHeader } from '../request.js';
import { rerunOnChange } from '../watch.js';

interface ClientOptions {
  readonly out?: string;
  readonly document?: string;
  readonly header?: readonly (readonly [string, string])[];
  readonly import?: readonly string[];
  readonly check?: true;
  readonly watch?: true;
}

export function addClient(program: Command): void {
  const command = program
    .command('client')
    .summary('write the types of a client')
    .description(
      'Writes the types of an API for @fairlead/client, from the application or from an OpenAPI document.',
    );
  acceptModule(
    command,
    '[source]',
    'module that creates the application, or an OpenAPI document: a URL or a .json file',
  )
    .option(
      '-d, --document <path>',
      'path of a document of openapi() (default: that of the first one)',
    )
    .option('-o, --out <file>', 'write the types to a file')
    .option('-H, --header <header>', 'header for the URL; may be repeated', parseHeader)
    .option('--check', 'only check that the file is up to date')
    .option('--watch', 'update the file when the sources change')
    .action((source: string | undefined, options: ClientOptions) =>
      options.watch ? watch(source, options) : write(source, options),
    );
}

const isUrl = (source = '') => /^https?:\/\//i.test(source);
const isFile = (source = '') => /\.(?:json|ya?ml)$/i.test(source);

/** Writes the types once. */
async function write(source: string | undefined, options: ClientOptions): Promise<void> {
  const { out, check, header, document } = options;
  if (check && out === undefined) throw missingFile('--check');
  if (document !== undefined && (isUrl(source) || isFile(source))) {
    throw new UsageError('--document is for an application. Pass its module, or omit --document.');
  }
  if (header !== undefined && !isUrl(source)) {
    throw new UsageError('--header is for the URL of a document. Pass one, or omit --header.');
  }
  const command = describeCommand(source, options);
  const isDeclaration = out !== undefined && /\.d\.[cm]?ts$/.test(out);
  const { text, routes } = generate(await load(source, options), command, isDeclaration);
  if (out === undefined) {
    print(text.trimEnd());
    return;
  }
  const previous = readPrevious(out);
  if (previous !== undefined && withoutFormat(previous) === withoutFormat(text)) {
    print(`${out} is up to date.`);
  } else if (check) {
    printError(`${out} is out of date. Run npx ${command}`);
    process.exitCode = 1;
  } else {
    try {
      writeFileSync(out, text);
    } catch (error) {
      refuseFile(error as NodeJS.ErrnoException, out);
    }
    print(`Wrote ${out}: ${count(routes, 'route')}.`);
  }
}

function missingFile(option: string): UsageError {
  return new UsageError(`${option} needs a file. Add --out, as in --out src/api.ts.`);
}

async function load(
  source: string | undefined,
  { header, document: path }: ClientOptions,
): Promise<Source> {
  if (source !== undefined && isUrl(source)) return fetchDocument(source, header);
  if (source !== undefined && isFile(source)) return readDocument(source);
  findModule(source);
  const openapi = await importOpenapi();
  const document = await withApplication(source, (app) => {
    app.seal();
    try {
      return openapi.createDocument(app, path);
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'NO_DOCUMENT') throw error;
      if (path !== undefined) throw new UsageError((error as Error).message);
      const info = { title: 'the application', version: '1' };
      return openapi.createDocument(app, { info, unrepresentable: 'any', version: '3.2' });
    }
  });
  return { root: { ...document }, origin: 'the document of the application' };
}

/** @throws {LoadError} When the document cannot become types. */
function generate(
  { root, origin }: Source,
  command: string,
  isDeclaration: boolean,
): GeneratedClient {
  try {
    return generateClient(root, origin, command, isDeclaration);
  } catch (error) {
    if (error instanceof DocumentError) throw new LoadError(error.message, { cause: error });
    throw error;
  }
}

/** The command that creates the file. It contains no credentials. */
function describeCommand(source: string | undefined, options: ClientOptions): string {
  const shown = source !== undefined && isUrl(source) ? splitUrl(source).shown : source;
  return ['fairlead', ...argumentsOf(shown, options)]
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)))
    .join(' ');
}

/** The arguments that create the file once. */
function argumentsOf(
  source: string | undefined,
  { document, out, import: loaders = [] }: ClientOptions,
): readonly string[] {
  const imports = loaders.flatMap((loader) => ['--import', loader]);
  const named = Object.entries({ '--document': document, '--out': out });
  const options = named.flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
  return ['client', source ?? [], ...imports, ...options].flat();
}

function readPrevious(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    return refuseFile(error as NodeJS.ErrnoException, file);
  }
}

/** Matches a comment, or a text with its quotes, also without its end. */
const COMMENT_OR_TEXT = /(\/\*[\s\S]*?(?:\*\/|$)|\/\/.*|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)/;

/**
 * Removes what formatters change: white space outside of texts, the kind of quotes, semicolons, trailing commas and
 * leading bars.
 */
function withoutFormat(code: string): string {
  const parts = code.split(COMMENT_OR_TEXT).map((part, index) => {
    // Every other part is a comment or a text.
    if (index % 2 === 0)
      return part.replace(/[\s;]+/g, '').replace(/,(?=[\])}>])|(?<=[:=(<[,{&])\|/g, '');
    if (part.startsWith('/')) return part.replace(/\s+/g, '');
    return `"${part.slice(1, -1).replace(/\\(["'])/g, '$1')}"`;
  });
  return parts.join('');
}

/** Writes the types, and again whenever the sources change. */
async function watch(source: string | undefined, options: ClientOptions): Promise<void> {
  const { out, check, import: loaders = [] } = options;
  if (check) throw new UsageError('--check runs once. Omit --watch.');
  if (out === undefined) throw missingFile('--watch');
  if (isUrl(source)) {
    throw new UsageError(
      '--watch cannot see when the document at a URL changes. Omit it, and run the command again after a change.',
    );
  }
  const file = isFile(source) ? resolve(source ?? '') : findModule(source);
  const [first = '', ...rest] = relative('', file).split(sep);
  const isOutside = first === '..' || rest.length === 0;
  await rerunOnChange([...nodeArguments(loaders), ...argumentsOf(source, options)], {
    folder: isFile(source) || isOutside ? dirname(file) : resolve(first),
    isSource: (path) =>
      isFile(source)
        ? basename(path) === basename(file)
        : /\.(?:[cm]?[jt]sx?|json)$/.test(path) && resolve(path) !== resolve(out),
  });
}
