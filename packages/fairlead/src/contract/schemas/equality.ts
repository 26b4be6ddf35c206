import { isNode, type Node, nodeOf } from '../../client/index.js';
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

type Pair = readonly [one: Part, other: Part];

/** Compares schemas by their keywords. */
export class Equality {
  readonly #known = new Map<string, boolean>();

  /**
   * Whether two schemas have the same keywords. Titles, descriptions and other texts for people don't count. Recursive
   * schemas are equal if nothing tells them apart.
   */
  holds(one: Part, other: Part): boolean {
    const key = keyOf([one, other]);
    const present = this.#known.get(key);
    if (present !== undefined) return present;
    const pending: { readonly pair: Pair; readonly parent: string }[] = [
      { pair: [one, other], parent: key },
    ];
    // The pair that led to each pair.
    const parents = new Map<string, string>();
    // Without recursion, because many schemas may lead from one to the next.
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { pair, parent } = next;
      const own = keyOf(pair);
      if (pair[0] === pair[1] || parents.has(own) || this.#known.get(own) === true) continue;
      parents.set(own, parent);
      const inner: Pair[] = [];
      if (this.#known.get(own) === false || !compare(pair, inner)) {
        this.#known.set(own, false);
        for (let part = parent; this.#known.get(part) !== false; part = parents.get(part) ?? key) {
          this.#known.set(part, false);
        }
        return false;
      }
      for (const each of inner) pending.push({ pair: each, parent: own });
    }
    for (const own of parents.keys()) this.#known.set(own, true);
    return true;
  }

  /** Whether two schemas have the same value of a keyword. */
  sameKeyword(one: Part, other: Part, keyword: string): boolean {
    const pending: Pair[] = [];
    return (
      compareKeyword([one, other], keyword, pending) &&
      pending.every(([inner, outer]) => this.holds(inner, outer))
    );
  }
}

function keyOf([one, other]: Pair): string {
  return `${one.id} ${other.id}`;
}

/** Compares two schemas, but not those within, which it adds to a list. */
function compare([one, other]: Pair, pending: Pair[]): boolean {
  const [left, right] = [resolve(one), resolve(other)];
  if (left === undefined || right === undefined) return false;
  if (left.schema === false || right.schema === false) return left.schema === right.schema;
  const [keywords, others] = [meaningful(left.schema), meaningful(right.schema)];
  return (
    keywords.length === others.length &&
    keywords.every((keyword) => compareKeyword([left, right], keyword, pending))
  );
}

function compareKeyword([one, other]: Pair, keyword: string, pending: Pair[]): boolean {
  const [left, right] = [nodeOf(one.schema)[keyword], nodeOf(other.schema)[keyword]];
  if (left === undefined || right === undefined) return left === right;
  const add = (some: unknown, others: unknown) =>
    pending.push([partOf(one.document, some), partOf(other.document, others)]) > 0;
  if (keyword === '$ref') {
    const [target, counterpart] = [
      one.document.find(String(left)),
      other.document.find(String(right)),
    ];
    return target !== undefined && counterpart !== undefined && add(target, counterpart);
  }
  if (ONE.has(keyword)) return add(left, right);
  if (SEVERAL.has(keyword) && Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((some, at) => add(some, right[at]));
  }
  if (NAMED.has(keyword) && isNode(left) && isNode(right)) {
    const names = Object.keys(left);
    return (
      names.length === Object.keys(right).length &&
      names.every((name) => Object.hasOwn(right, name) && add(left[name], right[name]))
    );
  }
  return canonical(left, SETS.has(keyword)) === canonical(right, SETS.has(keyword));
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
