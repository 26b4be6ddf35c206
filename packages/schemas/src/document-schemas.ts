import type { Dialect } from './convert.js';
import { Fit } from './fit.js';
import { type Judge, Judges, Reading } from './judge.js';
import {
  elementsOf,
  entriesOf,
  isKeywords,
  type Keywords,
  listOf,
  SchemaDocument,
} from './keywords.js';

/** Where a value does not fit a schema. */
export interface Misfit {
  /** The keys from the value to the part. */
  readonly path: readonly (string | number)[];
  /** Such as `is missing`. */
  readonly reason: string;
}

/** JSON Schemas that others have published, in which nothing has marks. */
const DIALECT: Dialect = {
  isExclusive: true,
  flags: ['', 'u'],
  hasArraysAsObjects: false,
  hasHoles: false,
  isVague: false,
};

/** The JSON Schemas of a document, such as one of OpenAPI, to which their references lead. */
export class DocumentSchemas {
  readonly #document: SchemaDocument;
  readonly #judges: Judges;

  /** @param root - The document: `#/components/schemas/User` leads to a member of it. */
  constructor(root: object) {
    this.#document = new SchemaDocument(root, () => undefined);
    this.#judges = new Judges(this.#document, DIALECT);
  }

  /** Lists the schemas that all apply to the values of a schema, with those that `$ref` and `allOf` name. */
  partsOf(schema: unknown): readonly Keywords[] {
    return this.#document.partsOf(schema);
  }

  /**
   * Finds the innermost part of a value that certainly does not fit.
   *
   * @param value - As parsed from JSON.
   * @returns Undefined if the value fits, or JSON Schema cannot decide it.
   */
  findMisfit(schema: unknown, value: unknown): Misfit | undefined {
    if (!this.#refuses(this.#judges.of(schema), value)) return undefined;
    return this.#locate(schema, value, []);
  }

  #refuses(judge: Judge, value: unknown): boolean {
    const reading = new Reading();
    reading.floor = Fit.withoutOthers;
    return judge(value, reading) < Fit.maybe;
  }

  #locate(schema: unknown, value: unknown, path: readonly (string | number)[]): Misfit {
    const parts = this.partsOf(schema);
    for (const part of parts) {
      for (const [key, inner, member] of innerParts(part, value)) {
        if (this.#refuses(this.#judges.of(inner), member))
          return this.#locate(inner, member, [...path, key]);
      }
      for (const name of missingMembers(part, value))
        return { path: [...path, name], reason: 'is missing' };
      for (const name of refusedMembers(part, value))
        return { path: [...path, name], reason: 'is not described' };
    }
    const wanted = parts.filter((part) => this.#refuses(this.#judges.of(part), value));
    const shown = shorten(JSON.stringify(wanted[0] ?? schema));
    return {
      path,
      reason: `is ${shorten(String(JSON.stringify(value)))}, which does not fit ${shown}`,
    };
  }
}

/** Lists the parts of a value that a schema describes on their own. */
function innerParts(
  part: Keywords,
  value: unknown,
): readonly (readonly [key: string | number, schema: unknown, member: unknown])[] {
  if (Array.isArray(value)) {
    const [first, rest] = elementsOf(part);
    return value.flatMap((member, index) => {
      const schema = index < first.length ? first[index] : rest;
      return isKeywords(schema) ? [[index, schema, member] as const] : [];
    });
  }
  if (!isKeywords(value)) return [];
  const named = entriesOf(part.properties);
  const names = new Set(named.map(([name]) => name));
  const { additionalProperties: rest } = part;
  const others = isKeywords(rest) && part.patternProperties === undefined ? Object.keys(value) : [];
  return [
    ...named,
    ...others.filter((name) => !names.has(name)).map((name) => [name, rest] as const),
  ].flatMap(([name, schema]) =>
    Object.hasOwn(value, name) ? [[name, schema, value[name]] as const] : [],
  );
}

function missingMembers({ required }: Keywords, value: unknown): readonly string[] {
  if (!isKeywords(value)) return [];
  return listOf(required)
    .map(String)
    .filter((name) => !Object.hasOwn(value, name));
}

function refusedMembers(part: Keywords, value: unknown): readonly string[] {
  if (!isKeywords(value) || part.additionalProperties !== false) return [];
  if (part.patternProperties !== undefined) return [];
  const names = new Set(entriesOf(part.properties).map(([name]) => name));
  return Object.keys(value).filter((name) => !names.has(name));
}

const MOST = 120;

function shorten(text: string): string {
  return text.length > MOST ? `${text.slice(0, MOST)}…` : text;
}
