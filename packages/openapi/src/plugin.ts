import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { type Application, type Plugin, SetupError } from '@fairlead/core';
import { boolean, either, type Kinds, kind, oneOf } from '@fairlead/options';
import { checkOptions, DOCUMENT_KINDS, type DocumentOptions, writeDocument } from './document.js';
import { addPage, sendTagged } from './page.js';

/** Options of {@link openapi}. */
export interface OpenApiOptions extends DocumentOptions {
  /** Path of the document; `/openapi.json` by default. */
  readonly path?: string;
  /** Path of the page to try the API, or `false` for no page; `/docs` by default. */
  readonly docs?: string | false;
  /** Whether there is a page when `NODE_ENV` is `production`; false by default. */
  readonly docsInProduction?: boolean;
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
};

/** A document as it is served. */
interface ServedDocument {
  readonly text: string;
  readonly tag: string;
}

/** The documents of sealed applications; the first one of an application with several. */
const documents = new WeakMap<Application, ServedDocument>();

/**
 * Creates a plugin that serves the OpenAPI document of an application, and a page to try the API. The
 * document is created when the application is sealed. It lacks the routes of the plugin itself.
 *
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid. At installation,
 *   `DOCS_UNAVAILABLE`, when the page needs swagger-ui-dist, which is not installed. At application startup,
 *   the errors of {@link createDocument}.
 */
export function openapi(options: OpenApiOptions): Plugin {
  checkOptions('openapi()', options, KINDS);
  const { path = '/openapi.json', docs = '/docs', docsInProduction = false } = options;
  const served = new WeakMap<Application, ServedDocument>();
  const hasPage = docsInProduction || process.env.NODE_ENV !== 'production';
  return {
    name: 'openapi',
    install(app) {
      // First, because it may fail.
      if (docs !== false && hasPage) {
        addPage(app, docs, path, () => JSON.parse(documentIn(served, app).text));
      }
      app.get(path, { hidden: true }, (ctx) => {
        const { text, tag } = documentIn(served, app);
        ctx.set('Content-Type', 'application/json');
        ctx.set('Cache-Control', 'no-cache');
        sendTagged(ctx, text, tag);
      });
    },
    ready(app) {
      const text = writeDocument(app, options);
      const tag = `"${createHash('sha256').update(text).digest('base64url')}"`;
      served.set(app, { text, tag });
      if (!documents.has(app)) documents.set(app, { text, tag });
    },
  };
}

function documentIn(
  served: WeakMap<Application, ServedDocument>,
  app: Application,
): ServedDocument {
  const document = served.get(app);
  if (document !== undefined) return document;
  throw new SetupError(
    'NO_DOCUMENT',
    'The application has no OpenAPI document. Install openapi() with app.plugin() before it handles requests.',
  );
}

/**
 * Prints the document of an application as JSON, without listening, and closes the application.
 *
 * @param app - An application with the plugin {@link openapi}.
 * @param file - The file to write; standard output by default.
 * @throws {SetupError} `NO_DOCUMENT`, when the application lacks the plugin.
 * @throws The errors of `app.seal()`, and of the file system.
 */
export async function printDocument(app: Application, file?: string | URL): Promise<void> {
  try {
    app.seal();
    const text = `${JSON.stringify(JSON.parse(documentIn(documents, app).text), null, 2)}\n`;
    if (file !== undefined) await writeFile(file, text);
    else await new Promise<void>((resolve) => process.stdout.write(text, () => resolve()));
  } finally {
    await app.close();
  }
}
