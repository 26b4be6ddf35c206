import { readFileSync } from 'node:fs';
import { isNode, type Node } from './client/index.js';
import { LoadError, UsageError } from './errors.js';
import { describeJsonError } from './project.js';

/** Milliseconds to wait for a document. */
const TIMEOUT = 30_000;

const JSON_FIX = 'Convert it to JSON first: npx @redocly/cli bundle <file> --output openapi.json';

/** A parsed document. */
export interface Source {
  readonly root: Node;
  /** Its URL or path, for messages. */
  readonly origin: string;
}

/** A URL without its credentials, which belong in a header. */
interface SplitUrl {
  readonly url: string;
  /** The URL for messages and files, with the names of its query as values, which may be secrets: `?key=<key>`. */
  readonly shown: string;
  /** The header for the credentials; undefined without any. */
  readonly credentials?: string;
}

/**
 * Splits a URL.
 *
 * @throws {UsageError} When it is not a URL.
 */
export function splitUrl(text: string): SplitUrl {
  const url = URL.parse(text);
  if (url === null) throw new UsageError(`Cannot use the URL '${text}'. Correct it.`);
  const pair = [url.username, url.password].map(decodeURIComponent).join(':');
  Object.assign(url, { username: '', password: '' });
  const query = [...url.searchParams.keys()].map((name) => `${name}=<${name}>`).join('&');
  const [start = ''] = url.href.split(/[?#]/);
  const split = { url: url.href, shown: query === '' ? start : `${start}?${query}` };
  if (pair === ':') return split;
  return { ...split, credentials: `Basic ${Buffer.from(pair).toString('base64')}` };
}

/**
 * Fetches an OpenAPI document.
 *
 * @throws {UsageError} When the URL is not valid.
 * @throws {LoadError} When the server does not send JSON.
 */
export async function fetchDocument(
  given: string,
  headers: readonly (readonly [string, string])[] = [],
): Promise<Source> {
  const { url, shown, credentials } = splitUrl(given);
  const all = new Headers({ Accept: 'application/json' });
  if (credentials !== undefined) all.set('Authorization', credentials);
  for (const [name, value] of headers) all.set(name, value);
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { headers: all, signal: AbortSignal.timeout(TIMEOUT) });
    text = await response.text();
  } catch (error) {
    const { message, cause } = error as Error;
    const { code, message: reason = '' } = Object(cause) as NodeJS.ErrnoException;
    throw new LoadError(
      `Cannot fetch ${shown}: ${reason || code || message}. Start the server, or correct the URL.`,
      { cause: error },
    );
  }
  if (!response.ok) {
    const fix = [401, 403].includes(response.status)
      ? "Pass credentials, as in --header 'Authorization: Bearer <token>'."
      : 'Pass the URL of the OpenAPI document, such as https://api.example.com/openapi.json.';
    throw new LoadError(
      `Cannot fetch ${shown}: the server responded with ${response.status} ${response.statusText}. ${fix}`,
    );
  }
  return parseDocument(text, shown);
}

/**
 * Reads an OpenAPI document from a file.
 *
 * @param acceptsYaml - Whether it may be YAML.
 * @param origin - What messages call the file; its path by default.
 * @throws {UsageError} When the file cannot be read.
 * @throws {LoadError} When it is not a document.
 */
export async function readDocument(
  file: string,
  acceptsYaml = false,
  origin = file,
): Promise<Source> {
  if (!acceptsYaml && isYamlFile(file)) {
    throw new UsageError(`Cannot read YAML from ${file}. ${JSON_FIX}`);
  }
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(
      `Cannot read ${origin}: ${(error as Error).message}. Pass the path of an OpenAPI document.`,
    );
  }
  return parseDocument(text, origin, acceptsYaml);
}

/** Whether a file has YAML, by its name. */
export function isYamlFile(file: string): boolean {
  return /\.ya?ml$/i.test(file);
}

/**
 * Parses an OpenAPI document.
 *
 * @param origin - Where it comes from, for messages.
 * @param acceptsYaml - Whether it may be YAML.
 * @throws {LoadError} When it is not a document.
 */
export async function parseDocument(
  text: string,
  origin: string,
  acceptsYaml = false,
): Promise<Source> {
  const isYaml = /^\s*(?:(?:#.*\n|---\s)\s*)*["']?(?:openapi|swagger)["']?\s*:/.test(text);
  const root =
    acceptsYaml && isYaml ? await parseYaml(text, origin) : parseJson(text, origin, isYaml);
  if (isNode(root)) return { root, origin };
  throw new LoadError(
    `Cannot use ${origin}: it is not an OpenAPI document, because it is not an object. Pass a document such as openapi.json.`,
  );
}

async function parseYaml(text: string, origin: string): Promise<unknown> {
  const { parse } = await import('yaml');
  try {
    return parse(text);
  } catch (error) {
    const [reason] = String((error as Error).message).split('\n');
    throw new LoadError(`Cannot use ${origin}: it is not YAML: ${reason} Correct it.`, {
      cause: error,
    });
  }
}

function parseJson(text: string, origin: string, isYaml: boolean): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new LoadError(
      isYaml
        ? `Cannot use ${origin}: it is YAML. ${JSON_FIX}`
        : `Cannot use ${origin}: it is not JSON: ${describeJsonError(error, text)}. Pass the document itself, such as openapi.json, not a page that shows it.`,
      { cause: error },
    );
  }
}
