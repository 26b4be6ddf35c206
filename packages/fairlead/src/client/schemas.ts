import { escapeLine, pointerKeys } from '@fairlead/options';
import { type Document, DocumentError } from './document.js';
import { COMPONENTS, chooseNames } from './names.js';
import { isNode, listOf, type Node, nodeOf, textOf } from './node.js';
import { referenceTo } from './reference.js';
import { keyOf, literal, writeDeclaration } from './type-text.js';
import {
  type Form,
  intersection,
  type Member,
  type Reference,
  replaceReferences,
  type Type,
  union,
} from './types.js';
import { hasDefault, SchemaUses } from './uses.js';

/** A schema that has a name. */
interface Declaration {
  readonly schema: unknown;
  /** Its type in each form that the file uses. */
  readonly types: Map<Form, Type>;
}

/** A member of an object that a schema describes. */
export interface Property {
  readonly schema: unknown;
  readonly isRequired: boolean;
}

/** The formats of strings that their documentation shows. */
const FORMATS = ['date-time', 'date', 'time', 'duration'];

/** The longest default value that the documentation of a member shows. */
const DEFAULT_LENGTH = 60;

/** The types of a document's schemas. */
export class SchemaTypes {
  /** What the schemas refer to. */
  readonly uses: SchemaUses;
  readonly #document: Document;
  readonly #declarations = new Map<string, Declaration>();
  /** References whose declarations have no type yet. */
  readonly #queue: Reference[] = [];
  readonly #properties = new WeakMap<Node, ReadonlyMap<string, Property>>();
  readonly #mappings = new WeakMap<Node, ReadonlyMap<string, readonly string[]>>();
  /** How many schemas have become types. */
  #count = 0;

  constructor(document: Document) {
    this.#document = document;
    this.uses = new SchemaUses(document, this.#components());
  }

  /** Lists references to the schemas among the components. */
  #components(): readonly string[] {
    const { schemas } = this.#document.resolve(this.#document.root.components);
    return Object.keys(nodeOf(schemas)).map((name) => referenceTo(['components', 'schemas', name]));
  }

  /**
   * Returns the type of a schema.
   *
   * @throws {DocumentError} When the types of the document's schemas would be much larger than the document.
   */
  of(schema: unknown, form: Form): Type {
    this.#count += 1;
    if (this.#count > 20 * this.#document.size + 10_000) {
      const { origin, place } = this.#document;
      throw new DocumentError(
        escapeLine(
          `Cannot use ${origin}: its types would be much larger than itself, at ${place}. Give the schemas that it repeats a name in components/schemas.`,
        ),
      );
    }
    if (schema === false) return 'never';
    if (!isNode(schema)) return 'unknown';
    // Validators write `false` in this way.
    if (schema.not === true || (isNode(schema.not) && Object.keys(schema.not).length === 0))
      return 'never';
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
    const names = chooseNames(
      declared,
      (target) => this.uses.differs(target) && this.#declarations.get(target)?.types.size === 2,
    );
    const nameOf = ({ target, form }: Reference) => names.get(target)?.[form] ?? 'unknown';
    const texts = declared.flatMap((target) => {
      const { schema, types } = this.#declarations.get(target) ?? { schema: {}, types: new Map() };
      const forms: readonly Form[] = this.uses.differs(target) ? ['received', 'sent'] : ['sent'];
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
    const target = referenceTo(pointerKeys(given));
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
      this.#document.place = `the schema ${pointerKeys(target).at(-1)}`;
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
    const { const: only, enum: listed } = this.#document.resolve(propertyNames);
    const names = only === undefined ? listed : [only];
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
    const isOptional = !isRequired && (form === 'sent' || !hasDefault(this.#document, schema));
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
    const values = mapped.length > 0 ? mapped : [pointerKeys(option.$ref).at(-1) ?? ''];
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
