import { type HeaderDescription, type HeaderDescriptions, isStandardSchema } from '@fairlead/core';
import { descriptionOf, type SentDescription } from '@fairlead/core/extend';
import { findFreeName } from './names.js';
import type { Report, Schemas } from './schemas.js';

/** Header Objects and references to them, by the name of the header. */
export type Headers = Readonly<Record<string, object>>;

/** The headers of a document. Operations share those of middleware. */
export class HeaderObjects {
  /** The shared Header Objects, by name. */
  readonly shared = new Map<string, object>();
  readonly #schemas: Schemas;
  readonly #references = new Map<string, object>();

  constructor(schemas: Schemas) {
    this.#schemas = schemas;
  }

  /** Creates the headers of one response. */
  create(headers: HeaderDescriptions, report: Report): Headers {
    const entries = Object.entries(headers).map(([name, header]) => {
      const one = typeof header === 'string' ? { description: header } : header;
      return [name, this.#createHeader(name, one, report)];
    });
    return Object.fromEntries(entries);
  }

  /** Returns references to headers of middleware. */
  refer(headers: HeaderDescriptions, report: Report): Headers {
    const entries = Object.entries(this.create(headers, report)).map(([name, header]) => {
      // An equal schema of a validator may have another JSON Schema.
      const { schema } = Object(headers[name]);
      if (isStandardSchema(schema)) return [name, header];
      const key = JSON.stringify([name, header]);
      const present = this.#references.get(key);
      if (present !== undefined) return [name, present];
      const component = findFreeName(name.replace(/[^\w.-]/g, '_'), this.shared);
      this.shared.set(component, header);
      const reference = { $ref: `#/components/headers/${component}` };
      this.#references.set(key, reference);
      return [name, reference];
    });
    return Object.fromEntries(entries);
  }

  #createHeader(name: string, header: HeaderDescription, report: Report): object {
    const { description, required, deprecated, schema = { type: 'string' }, example } = header;
    return {
      ...(description !== undefined && { description }),
      ...(required === true && { required }),
      ...(deprecated === true && { deprecated }),
      schema: this.#schemas.add(schema, 'output', `${name} Header`, report),
      ...(example !== undefined && { example }),
    };
  }
}

/** Lists what the functions of a route add to its responses, in their order. */
export function sentBy(functions: readonly object[], method: string): readonly SentDescription[] {
  return functions
    .flatMap((one) => descriptionOf(one)?.sends ?? [])
    .filter(({ methods }) => methods === undefined || methods.includes(method.toUpperCase()));
}

/** Lists the headers of requests that the functions of a route read. */
export function takenBy(
  functions: readonly object[],
): readonly (readonly [string, HeaderDescription])[] {
  return functions.flatMap((one) =>
    Object.entries(descriptionOf(one)?.takes ?? {}).map(
      ([name, header]) =>
        [name, typeof header === 'string' ? { description: header } : header] as const,
    ),
  );
}

/** Joins headers, whose names are case-insensitive. Of those with the same name, the last counts. */
export function joinHeaders(...all: readonly Headers[]): Headers {
  const joined = new Map<string, readonly [string, object]>();
  for (const [name, header] of all.flatMap(Object.entries)) {
    const key = name.toLowerCase();
    joined.set(key, [joined.get(key)?.[0] ?? name, header]);
  }
  return Object.fromEntries(joined.values());
}
