import { pointerKeys } from '@fairlead/options';
import {
  convert,
  type Form,
  InexpressibleError,
  type JsonSchema,
  type Unrepresentable,
} from './convert.js';
import { toPascalCase } from './names.js';
import { SchemaNode, SchemaPlace, SchemaReference } from './shared-schemas.js';

/** A converted schema, whose references are relative to it. */
interface Source {
  readonly root: JsonSchema;
  readonly form: Form;
  /** The name of a class whose schema is a reference; undefined for other schemas. */
  readonly className?: string | undefined;
  /** The nodes of the schemas within, by the schema as converted. */
  readonly nodes: Map<JsonSchema, SchemaNode>;
}

/** Receives why a schema cannot be part of the document, and a fix if it is a special one. */
export type Report = (reason: string, fix?: string | undefined) => void;

/** A schema whose annotations stand beside it. */
export interface DescribedSchema {
  readonly description?: string;
  readonly deprecated?: true;
  /** A JSON Schema that may contain nodes. */
  readonly schema: unknown;
}

/** A member of an object that a schema describes. */
export interface Member extends DescribedSchema {
  readonly name: string;
  readonly required: boolean;
}

/** The raw schemas of the members of an object. */
interface RawMembers {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required: ReadonlySet<string>;
  /** Whether further members depend on the branch of a union. */
  readonly hasUnion: boolean;
  /** What describes members without a name. */
  readonly others: readonly unknown[];
}

/** Keywords whose value is a schema. */
const SCHEMA = new Set([
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);

/** Keywords whose value is an array of schemas. */
const SCHEMAS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);

/** Keywords whose value is an object of schemas. */
const SCHEMAS_BY_NAME = new Set(['dependentSchemas', 'patternProperties', 'properties']);

/** Keywords that identify schemas or contain components. */
const OMITTED = new Set(['$defs', '$id', '$schema', 'definitions', 'id']);

/** Keywords whose references this package does not resolve. */
const UNSUPPORTED = new Set(['$anchor', '$dynamicAnchor', '$dynamicRef', '$recursiveRef']);

/** The schemas of a document. What its methods return may contain nodes and places. */
export class Schemas {
  /** All that may become components. */
  readonly nodes: SchemaNode[] = [];
  readonly #unrepresentable: Unrepresentable;
  readonly #sources = new Map<object, Map<Form, Source>>();

  constructor(unrepresentable: Unrepresentable) {
    this.#unrepresentable = unrepresentable;
  }

  /**
   * Adds a schema to the document.
   *
   * @param hint - Words that name the component if the schema has no name.
   * @returns A JSON Schema that may contain nodes.
   */
  add(schema: object, form: Form, hint: string, report: Report): unknown {
    const source = this.#convert(schema, form, report);
    return named(this.#read(source.root, source, report), hint);
  }

  /** Adds the schema of an input. */
  describe(schema: object, hint: string, report: Report): DescribedSchema {
    const source = this.#convert(schema, 'input', report);
    return this.#describe(source.root, source, hint, report);
  }

  /**
   * Adds the schemas of the members of an input.
   *
   * @param query - Whether the named members of a query are all texts; undefined for other inputs.
   * @returns The named members, or one without a name, for the whole input: if only unnamed members are described, and
   *   for a query of which nothing is known, with a union, or of texts and described unnamed members.
   */
  describeMembers(
    schema: object,
    hint: string,
    report: Report,
    query?: { readonly isFlat: boolean },
  ): readonly Member[] {
    const source = this.#convert(schema, 'input', report);
    const { properties, required, hasUnion, others } = membersOf(source.root, source.root);
    const names = Object.keys(properties);
    const isWhole =
      names.length === 0
        ? hasUnion || others.length > 0 || (query && Object.keys(source.root).length === 0)
        : query && (hasUnion || (query.isFlat && others.some(tellsSomething)));
    if (isWhole) {
      const isNeeded = needsMembers(source.root, source.root);
      const described = this.#describe(source.root, source, hint, report);
      return [{ name: '', required: isNeeded, ...described }];
    }
    return names.map((name) => ({
      name,
      required: required.has(name),
      ...this.#describe(properties[name], source, `${hint} ${name}`, report),
    }));
  }

  #describe(schema: unknown, source: Source, hint: string, report: Report): DescribedSchema {
    if (!isSchema(schema)) return { schema };
    const { description, deprecated, ...others } = schema;
    return {
      ...(typeof description === 'string' && { description }),
      ...(deprecated === true && { deprecated }),
      schema: named(this.#read(others, source, report), hint),
    };
  }

  /** Converts a schema, each form once. */
  #convert(schema: object, form: Form, report: Report): Source {
    const forms = this.#sources.get(schema) ?? new Map<Form, Source>();
    this.#sources.set(schema, forms);
    const present = forms.get(form);
    if (present !== undefined) return present;
    try {
      const converted = convert(schema, form, this.#unrepresentable);
      const { title, ...others } = converted;
      // The schema of a class has the title of the class. Beside a reference, it would be a second component.
      const isName = typeof schema === 'function' && title === schema.name && '$ref' in others;
      const [root, className] = isName ? [others, title] : [converted];
      const source = { root, form, className, nodes: new Map() };
      forms.set(form, source);
      return source;
    } catch (error) {
      if (!(error instanceof InexpressibleError)) throw error;
      for (const { text, fix } of error.reasons) report(text, fix);
      return { root: {}, form, nodes: new Map() };
    }
  }

  /** Returns a schema within a source, or its node if it may become a component. */
  #read(schema: unknown, source: Source, report: Report): unknown {
    if (!isSchema(schema)) return schema;
    const name = nameOf(schema);
    if (name !== undefined || hasMembers(schema)) return this.#node(schema, source, name, report);
    const content = this.#content(schema, source, report);
    const [first, ...others] = Object.values(content);
    if (first instanceof SchemaReference && others.length === 0) return first.node;
    if (!joinsNodes(content)) return content;
    const node = this.#createNode(schema, source, undefined);
    node.content = content;
    return node;
  }

  #node(schema: JsonSchema, source: Source, name: string | undefined, report: Report): SchemaNode {
    const present = source.nodes.get(schema);
    if (present !== undefined) return present;
    const node = this.#createNode(schema, source, name);
    node.content = this.#content(schema, source, report);
    return node;
  }

  #createNode(schema: JsonSchema, source: Source, name: string | undefined): SchemaNode {
    const node = new SchemaNode(source.form, name);
    source.nodes.set(schema, node);
    this.nodes.push(node);
    return node;
  }

  /** Returns the keywords of a schema, with nodes for schemas that may become components. */
  #content(schema: JsonSchema, source: Source, report: Report): JsonSchema {
    const content: Record<string, unknown> = {};
    const read = (value: unknown) => this.#read(value, source, report);
    for (const [keyword, value] of Object.entries(modernize(schema))) {
      if (OMITTED.has(keyword)) continue;
      if (SCHEMA.has(keyword)) content[keyword] = read(value);
      else if (SCHEMAS.has(keyword)) content[keyword] = listOf(value).map(read);
      else if (SCHEMAS_BY_NAME.has(keyword) && isSchema(value)) {
        const members = Object.entries(value).map(([name, member]) => [name, read(member)]);
        content[keyword] = Object.fromEntries(members);
      } else if (UNSUPPORTED.has(keyword)) {
        report(`it uses ${keyword}. Use $ref with a JSON Pointer.`);
      } else if (keyword === '$ref' && typeof value === 'string') {
        const target = this.#target(value, source, report);
        if (target !== undefined) content[keyword] = new SchemaReference(target);
      } else content[keyword] = value;
    }
    if (content.$ref instanceof SchemaReference) {
      content.$ref.node.isReferenced ||= Object.keys(content).length > 1;
    }
    return content;
  }

  /** Returns the node of a referenced schema. */
  #target(reference: string, source: Source, report: Report): SchemaNode | undefined {
    const target = findTarget(reference, source.root);
    if (target === undefined) {
      report(`it refers to '${reference}', which it does not contain. Add it to $defs.`);
      return undefined;
    }
    const [, key = ''] = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(reference) ?? [];
    const [own = ''] = pointerKeys(`/${key}`);
    const name = nameOf(target, GENERATED.test(key) ? '' : own);
    const className = reference === source.root.$ref ? source.className : undefined;
    return this.#node(target, source, name ?? className, report);
  }
}

/** Adds the words that name components to the schema of a place. */
function named(schema: unknown, hint: string): unknown {
  if (schema instanceof SchemaNode) schema.hint ??= hint;
  else if (isSchema(schema)) return new SchemaPlace(hint, schema);
  return schema;
}

/** Keys under which zod, valibot and arktype define schemas without a name. */
const GENERATED = /^(?:__schema|alias|domain|intersection|morph|proto|union|unit)?\d+$/;

/** Returns the ID of a schema, or else the key of its definition or its title; undefined without any. */
function nameOf({ $id, id, title }: JsonSchema, key = ''): string | undefined {
  const [uri] = [$id, id].filter((value) => typeof value === 'string');
  const fileName = (uri ?? '').replace(/#$/, '').split(/[/#]/).at(-1) ?? '';
  const identifier = fileName.replace(/(?:\.schema)?\.json$/, '') || key;
  if (/^[\w.-]+$/.test(identifier)) return identifier;
  return toPascalCase(identifier || (typeof title === 'string' ? title : '')) || undefined;
}

/** Reads the members that a schema describes itself, by reference, or in an intersection. */
function membersOf(
  schema: JsonSchema,
  root: JsonSchema,
  outer: readonly JsonSchema[] = [],
): RawMembers {
  const { $ref, allOf, anyOf, oneOf, properties, required } = schema;
  const { additionalProperties, patternProperties } = schema;
  const target = typeof $ref === 'string' ? findTarget($ref, root) : undefined;
  const path = [...outer, schema];
  const parts = [target, ...listOf(allOf)]
    .filter(isSchema)
    .filter((part) => !path.includes(part))
    .map((part) => membersOf(part, root, path));
  return {
    // Without a prototype, so that '__proto__' is an ordinary name.
    properties: Object.assign(
      Object.create(null),
      isSchema(properties) && properties,
      ...parts.map((part) => part.properties),
    ),
    required: new Set([
      ...listOf(required).map(String),
      ...parts.flatMap((part) => [...part.required]),
    ]),
    hasUnion: [anyOf, oneOf].some(Array.isArray) || parts.some((part) => part.hasUnion),
    others: [
      ...[additionalProperties, patternProperties].filter(Boolean),
      ...parts.flatMap((part) => part.others),
    ],
  };
}

/** Whether a schema is neither true nor {}. */
function tellsSomething(schema: unknown): boolean {
  return isSchema(schema) && Object.keys(schema).length > 0;
}

/** Whether a schema rejects an object without members. */
function needsMembers(
  schema: JsonSchema,
  root: JsonSchema,
  outer: readonly JsonSchema[] = [],
): boolean {
  const { $ref, allOf, anyOf, oneOf, required } = schema;
  const path = [...outer, schema];
  const isNeeded = (part: unknown): boolean =>
    isSchema(part) && !path.includes(part) && needsMembers(part, root, path);
  const isUnion = [anyOf, oneOf].some(
    (options) => listOf(options).length > 0 && listOf(options).every(isNeeded),
  );
  return (
    listOf(required).length > 0 ||
    isUnion ||
    listOf(allOf).some(isNeeded) ||
    (typeof $ref === 'string' && isNeeded(findTarget($ref, root)))
  );
}

function hasMembers({ properties }: JsonSchema): boolean {
  return isSchema(properties) && Object.keys(properties).length > 0;
}

/** Whether a schema is a union or an intersection of several schemas that may become components. */
function joinsNodes({ anyOf, oneOf, allOf }: JsonSchema): boolean {
  return [anyOf, oneOf, allOf].some(
    (members) => listOf(members).filter((member) => member instanceof SchemaNode).length > 1,
  );
}

/** Replaces keywords of draft-07 and OpenAPI 3.0. */
function modernize(schema: JsonSchema): JsonSchema {
  if (!Array.isArray(schema.items) && schema.nullable === undefined) return schema;
  const { items, additionalItems, nullable, ...others } = schema;
  const tuple = Array.isArray(items)
    ? { prefixItems: items, ...(additionalItems !== undefined && { items: additionalItems }) }
    : { ...(items !== undefined && { items }) };
  return { ...others, ...(nullable === true ? allowNull(others) : {}), ...tuple };
}

function allowNull({ type, enum: values }: JsonSchema): JsonSchema {
  return {
    ...(type !== undefined && { type: [...new Set([type, 'null'].flat())] }),
    ...(Array.isArray(values) && { enum: [...new Set([...values, null])] }),
  };
}

/** Resolves a reference to a place in the same schema: a JSON Pointer, or an ID. RFC 6901 §6 */
function findTarget(reference: string, root: JsonSchema): JsonSchema | undefined {
  const [uri = '', pointer = ''] = reference.split('#', 2);
  const start = uri === '' ? root : findById(uri, root);
  if (pointer !== '' && !pointer.startsWith('/')) return undefined;
  const target = pointerKeys(pointer).reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? Reflect.get(value, key)
        : undefined,
    start,
  );
  return isSchema(target) ? target : undefined;
}

function findById(uri: string, root: JsonSchema): JsonSchema | undefined {
  const definitions = [root.$defs, root.definitions].filter(isSchema).flatMap(Object.values);
  return [root, ...definitions.filter(isSchema)].find(({ $id, id }) => [$id, id].includes(uri));
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
