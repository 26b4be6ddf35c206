import { escapeLine } from '@fairlead/options';
import { LoadError } from '../errors.js';
import {
  type Document,
  isNode,
  listOf,
  type Node,
  nodeOf,
  pointerOf,
  referenceTo,
  textOf,
} from './document.js';
import {
  type Form,
  intersection,
  keyOf,
  literal,
  type Member,
  type Reference,
  replaceReferences,
  type Type,
  union,
  writeDeclaration,
} from './type-text.js';

/** A schema that has a name. */
interface Declaration {
  readonly schema: unknown;
  /** Its type in each form that the file uses. */
  readonly types: Map<Form, Type>;
}

/** What the forms of a schema depend on. */
interface Dependencies {
  /** Whether clients send other members than they receive. */
  differs: boolean;
  /** The schemas that it refers to. */
  readonly targets: Set<string>;
}

/** A member of an object that a schema describes. */
export interface Property {
  readonly schema: unknown;
  readonly isRequired: boolean;
}

const COMPONENTS = '#/components/schemas/';

/** Names that a generated file uses for other types. */
const TAKEN = ['Api', 'ArrayBuffer', 'Blob', 'EventMessage', 'FormData', 'URLSearchParams'];

/** The formats of strings that their documentation shows. */
const FORMATS = ['date-time', 'date', 'time', 'duration'];

/** The longest default value that the documentation of a member shows. */
const DEFAULT_LENGTH = 60;

/** The types of a document's schemas. */
export class SchemaTypes {
  readonly #document: Document;
  readonly #dependencies = new Map<string, Dependencies>();
  readonly #declarations = new Map<string, Declaration>();
  /** References whose declarations have no type yet. */
  readonly #queue: Reference[] = [];
  readonly #properties = new WeakMap<Node, ReadonlyMap<string, Property>>();
  readonly #mappings = new WeakMap<Node, ReadonlyMap<string, readonly string[]>>();
  /** How many schemas have become types. */
  #count = 0;

  constructor(document: Document) {
    this.#document = document;
    for (const target of this.#components()) this.#examine(target);
    this.#spreadDifferences();
  }

  /** Lists references to the schemas among the components. */
  #components(): readonly string[] {
    const { schemas } = this.#document.resolve(this.#document.root.components);
    return Object.keys(nodeOf(schemas)).map((name) => referenceTo(['components', 'schemas', name]));
  }

  /**
   * Returns the type of a schema.
   *
   * @throws {LoadError} When the types of the document's schemas would be much larger than the document.
   */
  of(schema: unknown, form: Form): Type {
    this.#count += 1;
    if (this.#count > 20 * this.#document.size + 10_000) {
      const { origin, place } = this.#document;
      throw new LoadError(
        escapeLine(
          `Cannot use ${origin}: its types would be much larger than itself, at ${place}. Give the schemas that it repeats a name in components/schemas.`,
        ),
      );
    }
    if (schema === false) return 'never';
    if (!isNode(schema)) return 'unknown';
    const isNullable = schema.nullable === true;
    if (schema.const !== undefined) return typeOfValue(schema.const);
    if (Array.isArray(schema.enum)) {
      return union([...schema.enum, ...(isNullable ? [null] : [])].map(typeOfValue));
    }
    const alternatives = [schema.oneOf, schema.anyOf].filter(Array.isArray);
    const isCombined = combines(schema) || alternatives.length > 0;
    const types = typesOf(schema);
    const structures = isCombined ? types.filter((type) => type !== 'null') : types;
    const parts: Type[] = [];
    if (typeof schema.$ref === 'string') parts.push(this.#refer(schema.$ref, form));
    for (const part of listOf(schema.allOf)) parts.push(this.of(part, form));
    if (structures.length > 0) {
      parts.push(union(structures.map((type) => this.#structure(type, schema, form, isCombined))));
    }
    const demanded = this.#demandedMembers(schema, form);
    if (demanded.length > 0) parts.push({ kind: 'object', members: demanded });
    for (const options of alternatives) {
      parts.push(union(options.map((option) => this.#option(option, schema, form))));
    }
    const type = intersection(parts);
    return isNullable || (isCombined && types.includes('null')) ? union([type, 'null']) : type;
  }

  /** Lists the members of an object: those of a schema, of what it refers to, and of `allOf`. */
  propertiesOf(schema: unknown): ReadonlyMap<string, Property> {
    if (!isNode(schema)) return new Map();
    const present = this.#properties.get(schema);
    if (present !== undefined) return present;
    // A schema that is part of itself adds nothing to itself.
    this.#properties.set(schema, new Map());
    const target = typeof schema.$ref === 'string' ? [this.#document.find(schema.$ref)] : [];
    const parts = [...target, ...listOf(schema.allOf)].map((part) =>
      this.#document.follow(() => this.propertiesOf(part)),
    );
    const required = new Set(listOf(schema.required));
    const own = Object.entries(nodeOf(schema.properties));
    const found = new Map<string, Property>();
    const add = (name: string, property: Property) => {
      const isRequired = property.isRequired || found.get(name)?.isRequired === true;
      found.set(name, { ...property, isRequired });
    };
    for (const part of parts) for (const [name, property] of part) add(name, property);
    for (const [name, one] of own) add(name, { schema: one, isRequired: required.has(name) });
    for (const [name, property] of found) {
      if (required.has(name)) found.set(name, { ...property, isRequired: true });
    }
    this.#properties.set(schema, found);
    return found;
  }

  /** Returns the documentation of a schema or a parameter. */
  describe(schema: unknown, given: Node = {}): readonly string[] {
    const node = nodeOf(schema);
    const description = textOf(given.description) ?? textOf(node.description);
    const value = node.default === undefined ? '' : JSON.stringify(node.default);
    const lines = description === undefined ? [] : [description];
    if (FORMATS.includes(String(node.format))) lines.push(`@format ${node.format}`);
    if (value !== '' && value.length <= DEFAULT_LENGTH) lines.push(`@default ${value}`);
    if (given.deprecated === true || node.deprecated === true) lines.push('@deprecated');
    return lines;
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

  /**
   * Writes the declarations of all components, and of other schemas that types refer to.
   *
   * @param omitted - References to components that nothing needs, unless a type refers to them.
   * @returns What writes types with references, and the declarations.
   */
  declare(omitted: ReadonlySet<string>): {
    readonly nameOf: (reference: Reference) => string;
    readonly texts: readonly string[];
  } {
    this.#buildTypes();
    const components = this.#components();
    for (const target of components) {
      if (!this.#declarations.has(target) && !omitted.has(target)) this.#refer(target, 'received');
    }
    this.#buildTypes();
    const all = [...new Set([...components, ...this.#declarations.keys()])];
    const declared = all.filter((target) => this.#declarations.has(target));
    this.#cutCycles();
    const names = this.#chooseNames(declared);
    const nameOf = ({ target, form }: Reference) => names.get(target)?.[form] ?? 'unknown';
    const texts = declared.flatMap((target) => {
      const { schema, types } = this.#declarations.get(target) ?? { schema: {}, types: new Map() };
      const forms: readonly Form[] = this.#differs(target) ? ['received', 'sent'] : ['sent'];
      const used = forms.filter((form) => types.has(form));
      return (used.length > 0 ? used : [...types.keys()]).map((form) =>
        writeDeclaration(
          nameOf({ kind: 'reference', target, form }),
          types.get(form) ?? 'unknown',
          this.describe(schema),
          nameOf,
        ),
      );
    });
    return { nameOf, texts };
  }

  #refer(given: string, form: Form): Type {
    const target = referenceTo(pointerOf(given));
    const found = this.#declarations.get(target);
    const declaration = found ?? { schema: this.#document.find(given), types: new Map() };
    if (declaration.schema === undefined) return 'unknown';
    this.#declarations.set(target, declaration);
    const reference: Reference = { kind: 'reference', target, form };
    if (!declaration.types.has(form)) {
      declaration.types.set(form, 'unknown');
      this.#queue.push(reference);
    }
    return reference;
  }

  #buildTypes(): void {
    for (let next = this.#queue.pop(); next !== undefined; next = this.#queue.pop()) {
      const { target, form } = next;
      const declaration = this.#declarations.get(target);
      this.#document.place = `the schema ${pointerOf(target).at(-1)}`;
      declaration?.types.set(form, this.of(declaration.schema, form));
    }
  }

  /** Returns the type for one of the types that a schema allows. */
  #structure(type: string, schema: Node, form: Form, isCombined: boolean): Type {
    switch (type) {
      case 'integer':
        return 'number';
      case 'string':
      case 'number':
      case 'boolean':
      case 'null':
        return type;
      case 'array':
        return this.#array(schema, form);
      case 'object':
        return this.#object(schema, form, isCombined);
      default:
        return 'unknown';
    }
  }

  #array({ items, prefixItems, minItems }: Node, form: Form): Type {
    const prefix = Array.isArray(items) ? items : listOf(prefixItems);
    if (prefix.length === 0) return { kind: 'array', item: this.of(items, form) };
    const rest = isNode(items) || items === true ? this.of(items, form) : undefined;
    return {
      kind: 'tuple',
      items: prefix.map((item) => this.of(item, form)),
      required: typeof minItems === 'number' ? minItems : prefix.length,
      rest,
    };
  }

  #object(schema: Node, form: Form, isCombined: boolean): Type {
    const { additionalProperties, patternProperties, propertyNames } = schema;
    const required = new Set(listOf(schema.required));
    const properties = Object.entries(nodeOf(schema.properties));
    const members = properties.flatMap(([name, property]) =>
      this.#member(name, { schema: property, isRequired: required.has(name) }, form),
    );
    const others = Object.values(nodeOf(patternProperties));
    if (additionalProperties === true || isNode(additionalProperties)) {
      others.push(additionalProperties);
    }
    const isBare = properties.length === 0 && others.length === 0;
    if (isBare && isCombined) return 'unknown';
    if (isBare) others.push(additionalProperties !== false);
    if (others.length === 0) return { kind: 'object', members };
    const type = union(others.map((one) => this.of(one, form)));
    const names = this.#document.resolve(propertyNames).enum;
    if (Array.isArray(names)) {
      const named = names.map((name) => {
        const isOptional = !required.has(name);
        return { key: keyOf(String(name)), type, isOptional, isReadonly: true };
      });
      return { kind: 'object', members: [...members, ...named] };
    }
    const isOptional = members.some((member) => member.isOptional);
    const all = [type, ...members.map((member) => member.type)];
    const indexed = union(isOptional ? [...all, 'undefined'] : all);
    const index = { key: '[name: string]', type: indexed, isReadonly: true };
    return { kind: 'object', members: [...members, index] };
  }

  /** Returns the member of an object; none if the form lacks it. */
  #member(name: string, { schema, isRequired }: Property, form: Form): readonly Member[] {
    const omits = form === 'sent' ? 'readOnly' : 'writeOnly';
    if (isNode(schema) && schema[omits] === true) return [];
    const isOptional = !isRequired && (form === 'sent' || !this.#hasDefault(schema));
    const type = this.of(schema, form);
    return [
      {
        key: keyOf(name),
        type: isOptional && form === 'sent' ? union([type, 'undefined']) : type,
        isOptional,
        isReadonly: true,
        comment: this.describe(schema),
      },
    ];
  }

  /** Lists the members that a schema requires, and another part of it describes. */
  #demandedMembers(schema: Node, form: Form): readonly Member[] {
    if (!combines(schema)) return [];
    const parts = [schema, ...listOf(schema.allOf).filter(isNode)];
    const names = parts.flatMap(({ required, properties }) =>
      listOf(required).filter((name) => !Object.hasOwn(nodeOf(properties), String(name))),
    );
    if (names.length === 0) return [];
    const { required: _, ...rest } = schema;
    const optional = parts.map((part) =>
      this.propertiesOf(part === schema ? { ...rest, allOf: [] } : part),
    );
    const all = this.propertiesOf(schema);
    return [...new Set(names.map(String))].flatMap((name) => {
      const property = all.get(name);
      const isKnown = optional.some((part) => part.get(name)?.isRequired === true);
      if (property === undefined || isKnown) return [];
      return this.#member(name, { ...property, isRequired: true }, form).map(({ key, type }) => ({
        key,
        type,
        isReadonly: true,
      }));
    });
  }

  /** Returns the type of an alternative. With a discriminator, its member has the value for this alternative. */
  #option(option: unknown, { discriminator }: Node, form: Form): Type {
    const type = this.of(option, form);
    if (!isNode(option) || typeof option.$ref !== 'string') return type;
    const { propertyName, mapping }: Node = nodeOf(discriminator);
    if (typeof propertyName !== 'string') return type;
    const mapped = this.#valuesByTarget(nodeOf(mapping)).get(option.$ref) ?? [];
    const values = mapped.length > 0 ? mapped : [pointerOf(option.$ref).at(-1) ?? ''];
    const property = this.propertiesOf(option).get(propertyName);
    const described = this.#document.resolve(property?.schema);
    const known = described.const === undefined ? described.enum : [described.const];
    const isText = property === undefined ? mapped.length > 0 : described.type === 'string';
    const isNarrower = Array.isArray(known)
      ? known.length > values.length && values.every((value) => known.includes(value))
      : isText;
    if (!isNarrower) return type;
    const member = { key: keyOf(propertyName), type: union(values.map(literal)), isReadonly: true };
    return intersection([type, { kind: 'object', members: [member] }]);
  }

  /** Returns the values of a discriminator for each schema, by a reference to it. */
  #valuesByTarget(mapping: Node): ReadonlyMap<string, readonly string[]> {
    const present = this.#mappings.get(mapping);
    if (present !== undefined) return present;
    const created = new Map<string, string[]>();
    for (const [value, target] of Object.entries(mapping)) {
      for (const reference of [String(target), `${COMPONENTS}${target}`]) {
        const values = created.get(reference);
        if (values === undefined) created.set(reference, [value]);
        else values.push(value);
      }
    }
    this.#mappings.set(mapping, created);
    return created;
  }

  #hasDefault(schema: unknown): boolean {
    return (
      isNode(schema) &&
      (schema.default !== undefined || this.#document.resolve(schema).default !== undefined)
    );
  }

  #differs(target: string): boolean {
    return this.#dependencies.get(target)?.differs === true;
  }

  /** Finds out what a schema and those that it refers to depend on. */
  #examine(target: string): void {
    const placeOf = (one: string): string => `the schema ${pointerOf(one).at(-1)}`;
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
      found.targets.add(referenceTo(pointerOf($ref)));
    const required = new Set(listOf(schema.required));
    for (const [name, property] of Object.entries(nodeOf(schema.properties))) {
      if (!isNode(property)) continue;
      found.differs ||= property.readOnly === true || property.writeOnly === true;
      found.differs ||= !required.has(name) && this.#hasDefault(property);
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

  /** Removes references by which a type would be part of itself, which TypeScript rejects. */
  #cutCycles(): void {
    const states = new Map<string, 'open' | 'done'>();
    const visit = ({ target, form }: Reference): Reference | undefined => {
      const reference: Reference = { kind: 'reference', target, form };
      const id = `${form} ${target}`;
      const types = this.#declarations.get(target)?.types;
      const type = types?.get(form);
      if (states.get(id) === 'open') return undefined;
      if (states.get(id) === 'done' || type === undefined) return reference;
      states.set(id, 'open');
      const cut = this.#document.follow(() => replaceReferences(type, visit));
      types?.set(form, cut ?? 'unknown');
      states.set(id, 'done');
      return reference;
    };
    for (const [target, { types }] of this.#declarations) {
      for (const form of types.keys()) visit({ kind: 'reference', target, form });
    }
  }

  #chooseNames(targets: readonly string[]): ReadonlyMap<string, Readonly<Record<Form, string>>> {
    const taken = new Set<string>();
    const choose = (base: string): string => {
      let name = TAKEN.includes(base) ? `${base}Schema` : base;
      for (let number = 2; taken.has(name); number += 1) name = `${base}${number}`;
      taken.add(name);
      return name;
    };
    const received = targets.map((target) => [target, choose(nameFor(target))] as const);
    return new Map(
      received.map(([target, name]) => {
        const types = this.#declarations.get(target)?.types;
        const isSplit = this.#differs(target) && types?.size === 2;
        return [target, { received: name, sent: isSplit ? choose(`${name}Input`) : name }];
      }),
    );
  }
}

/** Whether a schema adds to others. */
function combines({ $ref, allOf }: Node): boolean {
  return typeof $ref === 'string' || listOf(allOf).length > 0;
}

/** The names of the types that a schema allows. Without any, its keywords tell. */
function typesOf(schema: Node): readonly string[] {
  const { type, properties, additionalProperties, patternProperties, items, prefixItems } = schema;
  if (type !== undefined) return [type].flat().map(String);
  if (properties ?? additionalProperties ?? patternProperties) return ['object'];
  return (items ?? prefixItems) ? ['array'] : [];
}

/** Returns the type of a JSON value. */
function typeOfValue(value: unknown): Type {
  if (typeof value === 'string') return literal(value);
  if (Array.isArray(value)) {
    const items = value.map(typeOfValue);
    return { kind: 'tuple', items, required: items.length, rest: undefined };
  }
  if (!isNode(value)) return String(value);
  const members = Object.entries(value).map(([name, one]) => ({
    key: keyOf(name),
    type: typeOfValue(one),
    isReadonly: true,
  }));
  return { kind: 'object', members };
}

/** Keywords that add nothing to a name. */
const WORDLESS = ['components', 'schemas', 'properties', 'paths', 'content', 'schema'];

/** Returns the name of a type: the words of a reference, such as `PaymentIntent` for `payment_intent`. */
function nameFor(target: string): string {
  const keys = pointerOf(target);
  const own = target.startsWith(COMPONENTS) && keys.length === 3 ? keys.slice(2) : keys;
  const words = own
    .filter((key) => own.length === 1 || !WORDLESS.includes(key))
    .flatMap((key) => key.match(/[^\P{ID_Continue}_]+/gu) ?? []);
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return /^\p{ID_Start}/u.test(name) ? name : `_${name}`;
}
