import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { type Application, type Context, type Handler, SetupError } from '@fairlead/core';
import { describe } from '@fairlead/core/extend';
import { type HiddenRoute, matchesWeakly, requireFrom } from '@fairlead/options';
import type { OpenApiDocument } from './options.js';

/** Files of swagger-ui-dist below a path with its version, with their media types. */
const VERSIONED = { 'swagger-ui-bundle.js': 'text/javascript', 'swagger-ui.css': 'text/css' };

/** Files to which an OAuth server redirects, so their paths have no version. */
const REDIRECT = { 'oauth2-redirect.html': 'text/html', 'oauth2-redirect.js': 'text/javascript' };

/** One year, in seconds. */
const YEAR = 31_536_000;

/** The installed package swagger-ui-dist. */
interface Package {
  readonly folder: string;
  readonly version: string;
}

/**
 * Registers the routes of a page that shows a document and calls its operations.
 *
 * @param path - Path of the page.
 * @param documentPath - Path of the document.
 * @param hidden - The options of the routes, with their location.
 * @param documentOf - Returns the document. Called for requests only.
 * @throws {SetupError} `DOCS_UNAVAILABLE`, when swagger-ui-dist is not installed.
 */
export function addPage(
  app: Application,
  path: string,
  documentPath: string,
  hidden: HiddenRoute,
  documentOf: () => OpenApiDocument,
): void {
  const { folder, version } = findPackage(path);
  const base = path === '/' ? '' : path;
  // Relative, so that the page also works behind a proxy that removes a prefix of the path.
  const relative = (target: string) => posix.relative(posix.dirname(path), target);
  const urls = {
    assets: relative(`${base}/${version}`),
    document: relative(documentPath),
    redirect: relative(`${base}/oauth2-redirect.html`),
  };
  let page: Page | undefined;

  app.get(path, hidden, (ctx) => {
    if (ctx.path.length > 1 && ctx.path.endsWith('/')) {
      return ctx.redirect(`../${posix.basename(path)}`, 308);
    }
    page ??= createPage(urls, documentOf());
    ctx.set('Content-Security-Policy', page.policy);
    ctx.set('Cache-Control', 'no-cache');
    ctx.set('Content-Type', 'text/html; charset=utf-8');
    sendTagged(ctx, page.html, page.tag);
  });
  for (const [name, type] of Object.entries(VERSIONED)) {
    const cacheControl = `public, max-age=${YEAR}, immutable`;
    const handler = createFileHandler(join(folder, name), type, `${version}-${name}`, cacheControl);
    app.get(`${base}/${version}/${name}`, hidden, handler);
  }
  for (const [name, type] of Object.entries(REDIRECT)) {
    const handler = createFileHandler(join(folder, name), type, `${version}-${name}`, 'no-cache');
    app.get(`${base}/${name}`, hidden, handler);
  }
}

/** Finds swagger-ui-dist as this package would import it. */
function findPackage(path: string): Package {
  try {
    const manifest = requireFrom(import.meta.url as string | undefined).resolve(
      'swagger-ui-dist/package.json',
    );
    const { version }: { version: string } = JSON.parse(readFileSync(manifest, 'utf8'));
    return { folder: dirname(manifest), version };
  } catch (cause) {
    throw new SetupError(
      'DOCS_UNAVAILABLE',
      `openapi() cannot serve ${path}: the package swagger-ui-dist is not installed. Run 'npm install --save-dev swagger-ui-dist', or pass docs: false.`,
      { cause },
    );
  }
}

function createFileHandler(file: string, type: string, tag: string, cacheControl: string): Handler {
  const handler: Handler = async (ctx) => {
    ctx.set('Content-Type', `${type}; charset=utf-8`);
    ctx.set('Cache-Control', cacheControl);
    ctx.set('Content-Security-Policy', "default-src 'none'; script-src 'self'");
    sendTagged(ctx, await readFile(file), `"${tag}"`);
  };
  return describe(handler, { public: 'It is a file of the published package swagger-ui-dist.' });
}

/** Responds with a body and its tag. Responds with 304 to clients that have it. RFC 9110 §13.1.2 */
export function sendTagged(ctx: Context, body: string | Uint8Array, tag: string): void {
  ctx.set('ETag', tag);
  ctx.send(body);
  if (matchesWeakly(ctx.get('If-None-Match') ?? '', tag)) ctx.status = 304;
}

/** URLs relative to the page. */
interface PageUrls {
  /** The folder of the versioned files. */
  readonly assets: string;
  /** The OpenAPI document. */
  readonly document: string;
  /** Where an OAuth server redirects to. */
  readonly redirect: string;
}

interface Page {
  readonly html: string;
  /** The value of `ETag`. */
  readonly tag: string;
  /** The value of `Content-Security-Policy`. */
  readonly policy: string;
}

/** @param document - A transformed one may lack its optional members. */
function createPage(urls: PageUrls, { info, servers, components }: OpenApiDocument): Page {
  const script = `
const dark = matchMedia('(prefers-color-scheme: dark)');
const setTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', setTheme);
setTheme();
SwaggerUIBundle({
  dom_id: '#page',
  url: new URL(${JSON.stringify(urls.document)}, location.href).href,
  oauth2RedirectUrl: new URL(${JSON.stringify(urls.redirect)}, location.href).href,
  validatorUrl: null,
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
});
`;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(info.title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${urls.assets}/swagger-ui.css">
<style>${STYLE}</style>
</head>
<body>
<div id="page"></div>
<script src="${urls.assets}/swagger-ui-bundle.js"></script>
<script>${script}</script>
</body>
</html>
`;
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${hashOf(script)}`,
    `style-src 'self' ${hashOf(STYLE)}`,
    "img-src 'self' data:",
    `connect-src ${["'self'", ...originsIn([servers, components?.securitySchemes])].join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return { html, tag: `"${digestOf(html)}"`, policy };
}

const STYLE = `
body { margin: 0; }
@media (max-width: 640px) {
  /* Keeps the buttons at the bottom from covering the text. */
  .swagger-ui .highlight-code pre, .swagger-ui .curl-command pre { padding-bottom: 44px !important; }
}
`;

function hashOf(text: string): string {
  return `'sha256-${digestOf(text)}'`;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** The members of servers and security schemes to which the page sends requests. */
const URLS = ['url', 'tokenUrl', 'refreshUrl', 'openIdConnectUrl'];

/** Lists the origins of the absolute URLs within servers and security schemes. */
function originsIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const origins = Object.entries(value).flatMap(([key, member]) =>
    URLS.includes(key)
      ? originOf(/^https?:\/\/[^/{}?#\s;,']+/i.exec(String(member))?.[0])
      : originsIn(member),
  );
  return [...new Set(origins)];
}

/** Encodes the host, because headers are ASCII, and drops credentials. */
function originOf(url: string | undefined): readonly string[] {
  return url !== undefined && URL.canParse(url) ? [new URL(url).origin] : [];
}
