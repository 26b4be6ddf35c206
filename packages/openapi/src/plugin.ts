import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import {
  type Application,
  type Context,
  type Handler,
  type Plugin,
  SetupError,
} from '@fairlead/core';
import { describeFactories, registrationsOf, throwTogether } from '@fairlead/core/extend';
import {
  atLine,
  boolean,
  captureCaller,
  describeValue,
  either,
  findOptionProblems,
  formatLocation,
  hiddenRouteAt,
  isIntended,
  type Kinds,
  kind,
  locatorOf,
  oneOf,
  publicReason,
  setLocation,
  string,
  warn,
} from '@fairlead/options';
import { type OperationDescriptions, writeDocument, writeOperations } from './document.js';
import { DocumentError, throwProblems } from './errors.js';
import {
  checkOptions,
  DOCUMENT_KINDS,
  type DocumentOptions,
  type OpenApiDocument,
} from './options.js';
import { addPage, sendTagged } from './page.js';

/** Options of {@link openapi}. */
export interface OpenApiOptions extends DocumentOptions {
  /** Path of the document; `/openapi.json` by default. If it ends in `.yaml` or `.yml`, the document is YAML. */
  readonly path?: string;
  /** Path of the page to try the API, or `false` for no page; `/docs` by default. */
  readonly docs?: string | false;
  /** Whether there is a page when `NODE_ENV` is `production`; false by default. */
  readonly docsInProduction?: boolean;
  /** Why everyone may read the document and its page, for `createApp({ access: 'declared' })`. */
  readonly public?: string;
}

const staticPath = kind(
  "a path without parameters, such as '/docs'",
  (value) => typeof value === 'string' && /^\/$|^(?:\/[\w\-.~]+)+$/.test(value),
);

const KINDS: Kinds<OpenApiOptions> = {
  ...DOCUMENT_KINDS,
  path: staticPath,
  docs: either(staticPath, oneOf(false)),
  docsInProduction: boolean,
  public: publicReason,
};

/** A document that an application serves. */
interface InstalledDocument {
  readonly options: OpenApiOptions;
  /** As JSON; undefined until the application is sealed. */
  text?: string;
  /** The problems that prevented it. */
  problems: readonly Error[];
}

/** The documents of applications, by path. */
const documents = new WeakMap<Application, Map<string, InstalledDocument>>();

/**
 * Creates a plugin that serves the OpenAPI document of an application, and a page to try the API. The
 * document is created when the application is sealed. It lacks the routes of the plugin itself. An application
 * may have several documents with different paths, such as one for the routes that are public.
 *
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid. At installation, also when
 *   another document has the same path or page, and `DOCS_UNAVAILABLE`, when the page needs swagger-ui-dist,
 *   which is not installed. At application startup, the errors of {@link createDocument}.
 */
export function openapi(options: OpenApiOptions): Plugin {
  checkOptions('openapi()', options, KINDS);
  setLocation(options, captureCaller(openapi));
  const { path = '/openapi.json', docs = '/docs', docsInProduction = false } = options;
  const hasPage = docsInProduction || process.env.NODE_ENV !== 'production';
  if (path === docs) {
    const text = `openapi() cannot serve the document and its page at ${path}. Pass another path, such as '/openapi.json', other docs, or docs: false.`;
    throw new SetupError('INVALID_OPTION', text + formatLocation(locatorOf(options)));
  }
  return {
    name: 'openapi',
    install(app) {
      const installed = documents.get(app) ?? new Map<string, InstalledDocument>();
      assertUnused(installed, path, docs);
      const textOf = () => findDocument(app, path).text ?? '';
      const hidden = hiddenRouteAt(locatorOf(options), options.public);
      // First, because it may fail.
      if (docs !== false && hasPage) addPage(app, docs, path, hidden, () => JSON.parse(textOf()));
      app.get(path, hidden, createHandler(path, textOf));
      documents.set(app, installed.set(path, { options, problems: [] }));
    },
    ready(app) {
      const document = findDocument(app, path);
      document.problems = [];
      warnOfFormat(app, options);
      try {
        document.text = writeDocument(app, options);
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        document.problems = error instanceof DocumentError ? error.problems : [error];
        // Documents with the same routes have the same problems.
        const all = [...(documents.get(app)?.values() ?? [])];
        const known = all.slice(0, all.indexOf(document)).flatMap(({ problems }) => problems);
        const messages = new Set(known.map(({ message }) => message));
        throwProblems(document.problems.filter(({ message }) => !messages.has(message)));
      }
    },
  };
}

/** Warns about a document of other errors than those that the application sends. */
function warnOfFormat(app: Application, options: OpenApiOptions): void {
  const { errorSchema, info } = options;
  if (errorSchema !== undefined || isIntended(options) || !registrationsOf(app).replacesProblems)
    return;
  const message = `The document '${info.title}' describes errors as problems of RFC 9457, but the application has its own format of them. Describe it with the option errorSchema, or pass the options of openapi() to intended() if they have the members of a problem.`;
  warn('FAIRLEAD_DOCUMENT', message + atLine(options));
}

/** @throws {SetupError} `INVALID_OPTION`, when another document has the path, or the path of the page. */
function assertUnused(
  installed: ReadonlyMap<string, InstalledDocument>,
  path: string,
  docs: string | false,
): void {
  for (const [other, { options }] of installed) {
    if (other === path) {
      const text = `openapi() cannot serve a second document at ${path}. Pass another path, such as '/internal.json'.`;
      throw new SetupError('INVALID_OPTION', text);
    }
    if (docs !== false && docs === (options.docs ?? '/docs')) {
      const text = `openapi() cannot show ${path} at ${docs}, which shows ${other}. Pass other docs, such as '/internal', or docs: false.`;
      throw new SetupError('INVALID_OPTION', text);
    }
  }
}

/** Creates the handler that sends a document in the format of its path. */
function createHandler(path: string, textOf: () => string): Handler {
  const type = isYaml(path) ? 'application/yaml' : 'application/json';
  let yaml: string | undefined;
  let tag: string | undefined;
  const send = (ctx: Context, text: string) => {
    tag ??= `"${createHash('sha256').update(text).digest('base64url')}"`;
    ctx.set('Content-Type', type);
    ctx.set('Cache-Control', 'no-cache');
    sendTagged(ctx, text, tag);
  };
  if (!isYaml(path)) return (ctx) => send(ctx, textOf());
  return async (ctx) => {
    yaml ??= await toYaml(textOf());
    send(ctx, yaml);
  };
}

function isYaml(file: string): boolean {
  return /\.ya?ml$/i.test(file);
}

/** Converts JSON to YAML, which parsers of YAML 1.1 understand, too. */
async function toYaml(json: string): Promise<string> {
  const { stringify } = await import('yaml');
  return stringify(JSON.parse(json), { compat: 'yaml-1.1', lineWidth: 0 });
}

/**
 * Finds a document of an application.
 *
 * @param path - Its path; that of the first document by default.
 * @throws {SetupError} `NO_DOCUMENT`
 */
function findDocument(app: Application, path?: string): InstalledDocument {
  const installed = documents.get(app) ?? new Map<string, InstalledDocument>();
  const [first] = installed.values();
  const found = path === undefined ? first : installed.get(path);
  if (found !== undefined) return found;
  const paths = [...installed.keys()].map((one) => `'${one}'`).join(' or ');
  const text =
    first === undefined
      ? 'The application has no OpenAPI document. Install openapi() with app.plugin() before it handles requests.'
      : `The application has no OpenAPI document at ${describeValue(path)}. Use ${paths}.`;
  throw new SetupError('NO_DOCUMENT', text);
}

/**
 * Describes the routes of an application as an OpenAPI document. The same routes result in the same document, with its
 * members in the same order.
 *
 * @param which - The options of a document, or the path of one that {@link openapi} serves. By default, the
 *   first one that it serves.
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid; `INEXPRESSIBLE_SCHEMA`,
 *   `DUPLICATE_OPERATION_ID`, `AMBIGUOUS_PATHS` or `CONFLICTING_SECURITY`, when a route cannot be described;
 *   `TRANSFORM_FAILED`, when the option `transform` fails; `NO_DOCUMENT`, when the application serves no such document.
 * @throws {DocumentError} When routes cause several problems.
 * @see https://spec.openapis.org/oas/v3.1.1, https://spec.openapis.org/oas/v3.2.0
 */
export function createDocument(
  app: Application,
  which?: DocumentOptions | string,
): OpenApiDocument {
  if (which === undefined || typeof which === 'string') {
    return JSON.parse(writeDocument(app, findDocument(app, which).options));
  }
  checkOptions('createDocument()', which, DOCUMENT_KINDS);
  setLocation(which, captureCaller(createDocument));
  return JSON.parse(writeDocument(app, which));
}

/**
 * Describes the operations of all routes, of every version, for packages that send requests to them. Errors are those
 * of the first document that the application serves.
 *
 * @param app - A sealed application.
 * @throws The errors of {@link createDocument}.
 */
export function describeOperations(app: Application): OperationDescriptions {
  const [first] = documents.get(app)?.values() ?? [];
  const { errorSchema } = first?.options ?? {};
  const isProblem = !registrationsOf(app).replacesProblems || isIntended(first?.options);
  return {
    ...writeOperations(app, errorSchema),
    knowsErrors: errorSchema !== undefined || isProblem,
  };
}

/** Options of {@link printDocument}. */
export interface PrintOptions {
  /** The path of the document, such as `/internal.json`; that of the first one by default. */
  readonly document?: string;
  /** Default: `yaml` for a file whose name ends in `.yaml` or `.yml`, or else `json`. */
  readonly format?: 'json' | 'yaml';
}

const PRINT_KINDS: Kinds<PrintOptions> = {
  document: string,
  format: oneOf('json', 'yaml'),
};

/**
 * Prints a document of an application as JSON or YAML, without listening, and closes the application.
 *
 * @param app - An application with the plugin {@link openapi}.
 * @param file - The file to write; standard output by default.
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid; `NO_DOCUMENT`, when the
 *   application has no such document.
 * @throws The errors of `app.seal()`, and of the file system.
 */
export async function printDocument(
  app: Application,
  file?: string | URL,
  options: PrintOptions = {},
): Promise<void> {
  try {
    throwTogether(findOptionProblems('printDocument()', options, PRINT_KINDS));
    app.seal();
    const { text = '' } = findDocument(app, options.document);
    const { format = isYaml(String(file)) ? 'yaml' : 'json' } = options;
    const printed =
      format === 'yaml' ? await toYaml(text) : `${JSON.stringify(JSON.parse(text), null, 2)}\n`;
    if (file !== undefined) await writeFile(file, printed);
    else await new Promise<void>((resolve) => process.stdout.write(printed, () => resolve()));
  } catch (error) {
    // It may fail because the application has never started. The first error matters more.
    await app
      .close()
      .catch((failure: unknown) =>
        process.emitWarning(failure instanceof Error ? failure : describeValue(failure)),
      );
    throw error;
  }
  await app.close();
}

describeFactories(openapi);
