import { isNode, type Node } from '../../client/index.js';
import { type Part, partOf } from './part.js';

/** Keywords that hold a schema, several schemas, or schemas by name. */
const ONE = new Set(
  'items additionalProperties not if then else contains propertyNames unevaluatedProperties unevaluatedItems contentSchema'.split(
    ' ',
  ),
);
const SEVERAL = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const NAMED = new Set(['properties', 'patternProperties', 'dependentSchemas']);

/** Keywords that tell nothing about values. */
const TEXTS =
  /^(?:x-.*|title|description|examples?|externalDocs|xml|\$comment|\$id|\$schema|\$anchor|\$defs|definitions)$/;

/** Keywords whose order does not matter. */
const SETS = new Set(['required', 'type', 'enum']);

/** Pairs that are equal, or that are being compared: recursive schemas are equal if nothing tells them apart. */
export class Equality {
  readonly #known = new Map<string, boolean>();

  /** Whether two schemas have the same keywords, except for those that are for people. */
  holds(one: Part, other: Part): boolean {
    if (one === other) return true;
    const key = `${one.id} ${other.id}`;
    const present = this.#known.get(key);
    if (present !== undefined) return present;
    this.#known.set(key, true);
    const result = this.#compare(one, other);
    this.#known.set(key, result);
    return result;
  }

  #compare(one: Part, other: Part): boolean {
    const [left, right] = [resolve(one), resolve(other)];
    if (left === undefined || right === undefined) return false;
    if (left.schema === false || right.schema === false) return left.schema === right.schema;
    const [keywords, others] = [meaningful(left.schema), meaningful(right.schema)];
    return (
      keywords.length === others.length &&
      keywords.every((keyword) => this.sameKeyword(left, right, keyword))
    );
  }

  /** Whether two schemas have the same value of a keyword. */
  sameKeyword(one: Part, other: Part, keyword: string): boolean {
    const [left, right] = [Object(one.schema)[keyword], Object(other.schema)[keyword]];
    if (left === undefined || right === undefined) return left === right;
    const equal = (some: unknown, others: unknown) =>
      this.holds(partOf(one.document, some), partOf(other.document, others));
    if (keyword === '$ref') {
      const targets = [one.document.find(String(left)), other.document.find(String(right))];
      return targets.every((target) => target !== undefined) && equal(targets[0], targets[1]);
    }
    if (ONE.has(keyword)) return equal(left, right);
    if (SEVERAL.has(keyword) && Array.isArray(left) && Array.isArray(right)) {
      return left.length === right.length && left.every((some, at) => equal(some, right[at]));
    }
    if (NAMED.has(keyword) && isNode(left) && isNode(right)) {
      const names = Object.keys(left);
      return (
        names.length === Object.keys(right).length &&
        names.every((name) => Object.hasOwn(right, name) && equal(left[name], right[name]))
      );
    }
    return canonical(left, SETS.has(keyword)) === canonical(right, SETS.has(keyword));
  }
}

function meaningful(schema: Node): readonly string[] {
  return Object.keys(schema).filter((keyword) => !TEXTS.test(keyword));
}

/** Follows references that stand alone; undefined if one leads nowhere. */
export function resolve(part: Part): Part | undefined {
  const seen = new Set<Part>();
  let found = part;
  while (found.schema !== false && typeof found.schema.$ref === 'string') {
    if (meaningful(found.schema).length > 1) return found;
    const target = found.document.find(found.schema.$ref);
    if (target === undefined || seen.has(found)) return undefined;
    seen.add(found);
    found = partOf(found.document, target);
  }
  return found;
}

/** Writes a JSON value in one way. */
export function canonical(value: unknown, isSet = false): string {
  if (Array.isArray(value)) {
    const texts = value.map((member) => canonical(member));
    return `[${(isSet ? [...new Set(texts)].sort() : texts).join()}]`;
  }
  if (!isNode(value)) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join()}}`;
}
