import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Application } from '@fairlead/core';
import { validate } from '@hyperjump/json-schema/openapi-3-1';
import '@hyperjump/json-schema/openapi-3-2';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { type Document, OpenAPIBackend } from 'openapi-backend';
import type { OpenApiDocument } from '../../src/index.js';

/** Lists what the official meta-schema of the document's version finds, with its dialect of JSON Schema. */
export async function findMetaSchemaErrors(document: OpenApiDocument): Promise<readonly unknown[]> {
  const [version = ''] = /^\d+\.\d+/.exec(document.openapi) ?? [];
  const schema = `https://spec.openapis.org/oas/${version}/schema-base`;
  const output = await validate(schema, JSON.parse(JSON.stringify(document)), 'BASIC');
  return output.valid ? [] : (output.errors ?? [output]);
}

/** Lists the errors, and optionally the warnings, of the rules that Redocly recommends. */
export async function lint(
  document: OpenApiDocument,
  severities: readonly string[] = ['error'],
): Promise<readonly string[]> {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  return problems
    .filter(({ severity }) => severities.includes(severity))
    .map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`);
}

/** What a document says about a request and its response. */
export interface Exchange {
  readonly status: number;
  /** Whether the document allows the request. */
  readonly isAllowed: boolean;
  /** Differences between the response and the document. */
  readonly differences: readonly unknown[];
}

/** Compares requests and responses with a document, through libraries that read OpenAPI. */
export class Contract {
  readonly #document: OpenApiDocument;
  readonly #folder: string;
  readonly #backend: OpenAPIBackend;

  private constructor(document: OpenApiDocument, folder: string, backend: OpenAPIBackend) {
    this.#document = document;
    this.#folder = folder;
    this.#backend = backend;
  }

  static async create(document: OpenApiDocument): Promise<Contract> {
    // The validator of responses reads documents from files of this name.
    const folder = await mkdtemp(join(tmpdir(), 'fairlead-openapi-'));
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(document));
    const backend = new OpenAPIBackend({
      definition: JSON.parse(JSON.stringify(document)) as Document,
      // Does not compare the document with the meta-schema of OpenAPI 3.0.
      quick: true,
      strict: true,
      customizeAjv: (_, options) => {
        const ajv = new Ajv2020({ ...options, strict: false });
        addFormats.default(ajv);
        return ajv;
      },
    });
    await backend.init();
    return new Contract(document, folder, backend);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true });
  }

  /** Sends a request with an optional JSON body. */
  async exchange(
    app: Application,
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Exchange> {
    const sent = body === undefined ? headers : { 'content-type': 'application/json', ...headers };
    const init = {
      method,
      headers: sent,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    const response = await app.request(path, init);
    const request = { method, path, headers: { ...sent }, body };
    const operation = this.#backend.matchOperation(request);
    if (operation === undefined) throw new Error(`The document lacks ${method} ${path}.`);
    return {
      status: response.status,
      isAllowed: this.#backend.validateRequest(request).valid,
      differences: await this.#compare(String(operation.path), method.toLowerCase(), response),
    };
  }

  async #compare(path: string, method: string, response: Response): Promise<readonly unknown[]> {
    const pointer = ['paths', path, method, 'responses'];
    const listed = this.#find(pointer);
    const status = response.status in listed ? String(response.status) : 'default';
    const { $ref } = this.#find([...pointer, status]);
    const place = typeof $ref === 'string' ? $ref.slice(2).split('/') : [...pointer, status];
    const { content } = this.#find(place);
    // The document does not tell what a route without a response schema sends.
    if (content === undefined) return [];
    const [type = ''] = (response.headers.get('Content-Type') ?? '').split(';');
    if (!(type in Object(content))) return [`${type} is not listed`];
    const fragment = [...place, 'content', type, 'schema'].map(escapePointer).join('/');
    const schema = `${join(this.#folder, 'openapi.json')}#/${encodeURI(fragment)}`;
    const output = await validate(schema, JSON.parse(await response.text()), 'BASIC');
    return output.valid ? [] : (output.errors ?? [output]);
  }

  #find(keys: readonly string[]): Readonly<Record<string, unknown>> {
    const value = keys.reduce<unknown>((parent, key) => Object(parent)[key], this.#document);
    if (typeof value === 'object' && value !== null) return { ...value };
    throw new Error(`The document has no ${keys.join(' / ')}.`);
  }
}

function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
