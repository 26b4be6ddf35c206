import { toJsonSchema } from '../metadata/standard-schema.js';

/** Writes a value as JSON. */
export type WriteJson = (value: unknown) => string;

/**
 * Makes the function that writes the values of a JSON Schema. It throws for a schema that it cannot
 * compile, and that function for a value that it cannot write; `fast-json-stringify` is one.
 */
export type CompileResponse = { bivariant(schema: object): WriteJson }['bivariant'];

/** The writers of response schemas; routes that share a schema share its writer. */
export class ResponseWriters {
  readonly #compile: CompileResponse | undefined;
  readonly #compiled = new Map<object, WriteJson | undefined>();

  /** @param compile - Without it no schema is applied. */
  constructor(compile: CompileResponse | undefined) {
    this.#compile = compile;
  }

  /**
   * @param schema - What a route states of its response.
   * @returns The schema's writer; undefined where none is to be applied.
   * @throws What the compiler throws, for a schema that it cannot compile.
   */
  of(schema: object | undefined): WriteJson | undefined {
    if (this.#compile === undefined || schema === undefined) return undefined;
    if (!this.#compiled.has(schema)) this.#compiled.set(schema, writerOf(schema, this.#compile));
    return this.#compiled.get(schema);
  }
}

function writerOf(schema: object, compile: CompileResponse): WriteJson | undefined {
  const jsonSchema = toJsonSchema(schema);
  if (jsonSchema === undefined) return undefined;
  const write: unknown = compile(jsonSchema);
  if (typeof write === 'function') return write as WriteJson;
  throw new TypeError('compileResponse returned no function');
}
