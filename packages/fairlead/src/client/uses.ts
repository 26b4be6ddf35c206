import { pointerKeys } from '@fairlead/options';
import type { Document } from './document.js';
import { isNode, listOf, nodeOf } from './node.js';
import { referenceTo } from './reference.js';

/** What the two forms of a schema depend on. */
interface Dependencies {
  /** Whether clients send other members than they receive. */
  differs: boolean;
  /** The schemas that it refers to. */
  readonly targets: Set<string>;
}

/** Finds which schemas use which, and which have different forms for what clients send and receive. */
export class SchemaUses {
  readonly #document: Document;
  readonly #dependencies = new Map<string, Dependencies>();

  /** @param targets - References to the schemas to examine. Those that they refer to follow. */
  constructor(document: Document, targets: readonly string[]) {
    this.#document = document;
    for (const target of targets) this.#examine(target);
    this.#spreadDifferences();
  }

  /** Whether clients send other members of a schema than they receive. */
  differs(target: string): boolean {
    return this.#dependencies.get(target)?.differs === true;
  }

  /** Adds the schemas that a schema refers to, directly or not. */
  addTargets(schema: unknown, found: Set<string>): void {
    const queue = [...this.#read(schema).targets];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      if (found.has(next)) continue;
      found.add(next);
      queue.push(...(this.#dependencies.get(next)?.targets ?? []));
    }
  }

  /** Finds out what a schema and those that it refers to depend on. */
  #examine(target: string): void {
    const placeOf = (one: string): string => `the schema ${pointerKeys(one).at(-1)}`;
    const queue = [{ target, user: target }];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const { target, user } = next;
      if (this.#dependencies.has(target)) continue;
      this.#document.place = placeOf(user);
      const schema = this.#document.find(target);
      this.#document.place = placeOf(target);
      const read = this.#read(schema);
      this.#dependencies.set(target, read);
      queue.push(...[...read.targets].map((one) => ({ target: one, user: target })));
    }
  }

  #read(
    schema: unknown,
    found: Dependencies = { differs: false, targets: new Set() },
  ): Dependencies {
    if (!isNode(schema)) return found;
    const { $ref } = schema;
    // Of other references, `of()` reports that they lead nowhere.
    if (typeof $ref === 'string' && $ref.startsWith('#'))
      found.targets.add(referenceTo(pointerKeys($ref)));
    const required = new Set(listOf(schema.required));
    for (const [name, property] of Object.entries(nodeOf(schema.properties))) {
      if (!isNode(property)) continue;
      found.differs ||= property.readOnly === true || property.writeOnly === true;
      found.differs ||= !required.has(name) && hasDefault(this.#document, property);
    }
    const { properties, patternProperties, items, additionalProperties } = schema;
    const inner = [
      ...[properties, patternProperties].flatMap((one) => Object.values(nodeOf(one))),
      ...[schema.allOf, schema.anyOf, schema.oneOf, schema.prefixItems, items].flatMap(listOf),
      ...[items, additionalProperties],
    ];
    for (const one of inner) this.#read(one, found);
    return found;
  }

  /** A schema differs if one that it refers to does. */
  #spreadDifferences(): void {
    const users = new Map<string, string[]>();
    for (const [user, { targets }] of this.#dependencies) {
      for (const target of targets) users.set(target, [...(users.get(target) ?? []), user]);
    }
    const queue = [...this.#dependencies].flatMap(([target, { differs }]) =>
      differs ? [target] : [],
    );
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      for (const user of users.get(next) ?? []) {
        const dependencies = this.#dependencies.get(user);
        if (dependencies === undefined || dependencies.differs) continue;
        dependencies.differs = true;
        queue.push(user);
      }
    }
  }
}

/** Whether a schema, or what it refers to, has a default value. */
export function hasDefault(document: Document, schema: unknown): boolean {
  return (
    isNode(schema) &&
    (schema.default !== undefined || document.resolve(schema).default !== undefined)
  );
}
