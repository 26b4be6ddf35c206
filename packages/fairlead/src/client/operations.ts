import { essenceOf, isJson } from '@fairlead/options';
import type { Document } from './document.js';
import { isNode, listOf, type Node, nodesOf, textOf } from './node.js';
import { pathParameter, patternName, patternOf } from './patterns.js';
import { type Property, SchemaTypes } from './schemas.js';
import { keyOf, literal } from './type-text.js';
import { intersection, type Member, type Type, union } from './types.js';

/** The members that the client knows of a problem. RFC 9457 and the error handler of `@fairlead/core` */
const PROBLEM_MEMBERS = new Set(
  'type title status detail instance code error issues guard stack'.split(' '),
);

const FORMS = ['multipart/form-data', 'application/x-www-form-urlencoded'];

/** The methods whose requests need a key to be safe to repeat, or to get the same response. */
const MAY_TAKE_KEY = ['post', 'patch', 'put', 'delete'];

function isKey({ in: place, name }: Node): boolean {
  return place === 'header' && String(name).toLowerCase() === 'idempotency-key';
}

/** Reads the operations of a document, which are the routes of the client. */
export class Operations {
  /** Schemas that only describe problems, which the client knows. */
  readonly omitted = new Set<string>();
  /** Whether a route has an event stream. */
  hasEvents = false;
  /** The routes that take an `Idempotency-Key`, as `POST /orders`. */
  readonly keyed: string[] = [];
  readonly #document: Document;
  readonly #types: SchemaTypes;
  /** Whether the values of a schema are objects. */
  readonly #objects = new WeakMap<Node, boolean>();

  constructor(document: Document, types: SchemaTypes) {
    this.#document = document;
    this.#types = types;
  }

  /** Returns the route of a path and a method; none if there is no such operation. */
  read(path: string, given: Node, method: string): readonly Member[] {
    const item = this.#document.resolve(given);
    const operation = item[method];
    if (!isNode(operation)) return [];
    this.#document.place = `${method.toUpperCase()} ${path}`;
    const parameters = new Map<string, Node>();
    for (const one of [...listOf(item.parameters), ...listOf(operation.parameters)]) {
      const parameter = this.#document.resolve(one);
      parameters.set(`${parameter.in} ${parameter.name}`, parameter);
    }
    const all = [...parameters.values()];
    const body = this.#body(operation.requestBody);
    const members = [
      ...this.#params(path, all),
      ...this.#query(all),
      ...this.#headers(all, body.headers),
      ...body.members,
      ...this.#responses(operation.responses, method),
    ];
    const comment = describeOperation(operation);
    if (operation.deprecated === true) comment.push('@deprecated');
    const pattern = patternOf(path, all);
    if (MAY_TAKE_KEY.includes(method) && all.some(isKey))
      this.keyed.push(`${method.toUpperCase()} ${pattern}`);
    return [{ key: literal(pattern), type: { kind: 'object', members }, comment }];
  }

  #params(path: string, parameters: readonly Node[]): readonly Member[] {
    const names = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
    if (names.length === 0) return [];
    const members = [...new Set(names)].map((name) => {
      const parameter = pathParameter(name, parameters);
      return this.#parameter(patternName(name, parameter), { ...parameter, required: true });
    });
    return [{ key: 'params', type: { kind: 'object', members } }];
  }

  #query(parameters: readonly Node[]): readonly Member[] {
    const members: Member[] = [];
    const types: Type[] = [];
    for (const parameter of parameters.filter((one) => one.in === 'query')) {
      // Each member of an object is a parameter, unless the style is another one.
      const { style = 'form', explode = true } = parameter;
      const isSpread = style === 'form' && explode === true && this.#isObject(parameter.schema);
      if (isSpread) types.push(this.#types.of(parameter.schema, 'sent'));
      else members.push(this.#parameter(String(parameter.name), parameter));
    }
    if (members.length > 0) types.unshift({ kind: 'object', members });
    if (types.length === 0) return [];
    const isOptional = !parameters.some((one) => one.in === 'query' && one.required === true);
    return [{ key: 'query', type: intersection(types), isOptional }];
  }

  /** Headers are optional, because the client may have them. Only that of the body's type is necessary. */
  #headers(parameters: readonly Node[], type: Type | undefined): readonly Member[] {
    const members = parameters
      .filter((one) => one.in === 'header')
      .map((one) => {
        const { comment = [] } = this.#parameter(String(one.name), one);
        const values = this.#document.resolve(one.schema).enum;
        const isText = listOf(values).every((value) => typeof value === 'string');
        const known = Array.isArray(values) && isText ? union(values.map(literal)) : 'string';
        return { key: keyOf(String(one.name)), type: known, isOptional: true, comment };
      });
    const own = type === undefined ? [] : [{ key: '"Content-Type"', type }];
    const all: readonly Member[] = [...own, ...members];
    if (all.length === 0) return [];
    return [
      { key: 'headers', type: { kind: 'object', members: all }, isOptional: own.length === 0 },
    ];
  }

  /** Returns the member for a parameter of a path or a query. */
  #parameter(name: string, parameter: Node): Member {
    const { schema, style, explode, content, required } = parameter;
    const isOptional = required !== true;
    const comment = [...this.#types.describe(this.#document.resolve(schema), parameter)];
    let type = schema === undefined ? 'string' : this.#types.of(schema, 'sent');
    const separator = this.#isArray(schema) ? separatorOf(parameter) : undefined;
    if (separator !== undefined) {
      comment.unshift(`Values with ${separator} between them.`);
      type = 'string';
    } else if (isNode(content)) {
      comment.unshift(`Text of the type ${Object.keys(content)[0]}.`);
      type = 'string';
    } else if (style === 'deepObject' && this.#isArray(schema)) {
      return { key: keyOf(`${name}[]`), type: union([type, 'undefined']), isOptional, comment };
    } else if (this.#isObject(schema) && (style !== 'deepObject' || explode === false)) {
      comment.unshift(`An object in the style ${style ?? 'simple'}.`);
      type = 'string';
    }
    return {
      key: keyOf(name),
      type: isOptional ? union([type, 'undefined']) : type,
      isOptional,
      comment,
    };
  }

  #isArray(schema: unknown): boolean {
    const { type } = this.#document.resolve(schema);
    return [type].flat().includes('array');
  }

  /** Whether values are objects, in each branch of a union. */
  #isObject(schema: unknown): boolean {
    const node = this.#document.resolve(schema);
    const known = this.#objects.get(node);
    if (known !== undefined) return known;
    // A schema that is part of itself does not make itself an object.
    this.#objects.set(node, false);
    const isObject = (one: unknown): boolean => this.#document.follow(() => this.#isObject(one));
    const { type, properties, allOf } = node;
    const isOwn = [type].flat().includes('object') || properties !== undefined;
    const unions = [node.anyOf, node.oneOf].map(listOf).filter((union) => union.length > 0);
    const isAny =
      isOwn || listOf(allOf).some(isObject) || unions.some((union) => union.every(isObject));
    this.#objects.set(node, isAny);
    return isAny;
  }

  /** Returns the member for a body, and the type of a `Content-Type` that the client does not set itself. */
  #body(given: unknown): { readonly members: readonly Member[]; readonly headers?: Type } {
    const { content, required, description } = this.#document.resolve(given);
    const media = mediaOf(content);
    if (media.length === 0) return { members: [] };
    const bodies = media.map(([name, one]) => this.#bodyOf(name, one));
    const isOptional = required !== true;
    const type = union(bodies);
    const fields = media.flatMap(([name, { schema }]) => {
      const names = [...this.#types.propertiesOf(schema)].map(([field, { isRequired }]) =>
        isRequired ? field : `${field}?`,
      );
      return FORMS.includes(name) && names.length > 0
        ? [`The fields of the form: ${names.join(', ')}`]
        : [];
    });
    const comment = [textOf(description) ?? [], ...new Set(fields)].flat();
    const body: Member = {
      key: 'body',
      type: isOptional ? union([type, 'undefined']) : type,
      isOptional,
      comment,
    };
    const json = media.map(([name]) => name).filter(readsAsJson);
    const isDefault =
      json.length < media.length || json.some((name) => /^application\/(?:json|\*)|^\*/.test(name));
    return { members: [body], ...(!isDefault && { headers: union(json.map(literal)) }) };
  }

  #bodyOf(mediaType: string, { schema }: Node): Type {
    if (readsAsJson(mediaType)) return this.#types.of(schema, 'sent');
    if (mediaType === FORMS[0]) return 'FormData';
    if (mediaType === FORMS[1]) return 'URLSearchParams';
    return union(['Blob', 'ArrayBuffer']);
  }

  #responses(given: unknown, method: string): readonly Member[] {
    const received: Member[] = [];
    const errors: Member[] = [];
    let events: Type | undefined;
    const responses = nodesOf(given).map(
      ([status, one]) => [status.toUpperCase(), this.#document.resolve(one)] as const,
    );
    const isOnly = responses.every(([status]) => !/^[23]/.test(status));
    for (const [status, response] of responses) {
      const isDefault = status === 'DEFAULT';
      if (/^2(?:\d\d|XX)$/.test(status) || (isDefault && isOnly)) {
        const key = isDefault || status === '2XX' ? '"2XX"' : status;
        const type = method === 'head' ? 'undefined' : this.#received(status, response);
        received.push({ key, type });
        events ??= this.#events(response);
      } else if (/^[45](?:\d\d|XX)$/.test(status) || isDefault) {
        const key = isDefault ? 'default' : /X/.test(status) ? literal(status) : status;
        errors.push(...this.#error(key, response));
      }
    }
    if (received.length === 0) received.push({ key: '"2XX"', type: 'unknown' });
    return [
      { key: 'received', type: { kind: 'object', members: received } },
      ...(errors.length > 0
        ? [{ key: 'errors', type: { kind: 'object', members: errors } } as const]
        : []),
      ...(events === undefined ? [] : [{ key: 'events', type: events }]),
    ];
  }

  /** Returns the type of what the client reads from a response. */
  #received(status: string, { content }: Node): Type {
    const media = mediaOf(content);
    if (['204', '205'].includes(status)) return 'undefined';
    return media.length === 0
      ? 'unknown'
      : union(
          media.map(([name, { schema }]) => {
            if (readsAsJson(name)) return this.#types.of(schema, 'received');
            return name.startsWith('text/') ? 'string' : 'Blob';
          }),
        );
  }

  /** Returns the type of the messages of an event stream. */
  #events({ content }: Node): Type | undefined {
    const stream = nodesOf(content).find(([name]) => name.startsWith('text/event-stream'));
    if (stream === undefined) return undefined;
    const schema = this.#document.resolve(stream[1].itemSchema);
    const options = [schema.oneOf, schema.anyOf].find(Array.isArray) ?? [schema];
    this.hasEvents = true;
    return union(options.map((option) => this.#message(option)));
  }

  #message(schema: unknown): Type {
    const properties = this.#types.propertiesOf(schema);
    const event = this.#types.of(properties.get('event')?.schema, 'received');
    const data = this.#document.resolve(properties.get('data')?.schema);
    // The client parses text that is JSON.
    const isText = data.contentSchema === undefined && [data.type].flat().includes('string');
    const type = isText ? 'unknown' : this.#types.of(data.contentSchema ?? data, 'received');
    const name = properties.has('event') ? event : '"message"';
    const all = properties.get('event')?.isRequired === false ? union([name, '"message"']) : name;
    return properties.size === 0
      ? 'EventMessage'
      : { kind: 'generic', name: 'EventMessage', types: [all, type] };
  }

  /** Returns the member for the errors of a status: codes, or the type of a body; none if it is a problem. */
  #error(key: string, { content }: Node): readonly Member[] {
    const [media] = nodesOf(content).filter(([name]) => readsAsJson(name));
    if (media === undefined) return [];
    const [name, { schema }] = media;
    const properties = this.#types.propertiesOf(schema);
    const isProblem =
      name === 'application/problem+json' &&
      [...properties.keys()].every((one) => PROBLEM_MEMBERS.has(one));
    if (!isProblem) {
      return this.#isBody(schema) ? [{ key, type: this.#types.of(schema, 'received') }] : [];
    }
    this.#types.uses.addTargets(schema, this.omitted);
    const codes = this.#codes(properties.get('code'));
    if (codes.length === 0) return [];
    return [
      { key, type: { kind: 'tuple', items: codes, required: codes.length, rest: undefined } },
    ];
  }

  /** Lists the codes of a problem; `string` among them if there may be others. */
  #codes(property: Property | undefined): readonly Type[] {
    const { anyOf, oneOf, ...own } = this.#document.resolve(property?.schema);
    const parts = [own, ...listOf(anyOf), ...listOf(oneOf)].map((one) =>
      this.#document.resolve(one),
    );
    const known = parts.flatMap((one) =>
      one.const === undefined ? listOf(one.enum) : [one.const],
    );
    const codes = known.filter((code) => typeof code === 'string').map(literal);
    const isOpen = parts.slice(1).some((one) => one.enum === undefined && one.const === undefined);
    return isOpen && codes.length > 0 ? [...codes, 'string'] : codes;
  }

  /** Whether the client adds the body of an error to its problem. */
  #isBody(schema: unknown): boolean {
    const { type, properties, allOf, anyOf, oneOf } = this.#document.resolve(schema);
    return type === undefined
      ? (properties ?? allOf ?? anyOf ?? oneOf) !== undefined
      : type === 'object';
  }
}

/** The summary and the description, unless one repeats the other. */
function describeOperation({ summary, description }: Node): string[] {
  const [short = '', long = ''] = [textOf(summary), textOf(description)];
  const isRepeated = long.startsWith(short.replace(/\.$/, ''));
  return [isRepeated ? '' : short, long].filter((text) => text !== '');
}

/** Lists the media types of a body. The client asks for JSON and sends it, so XML only counts on its own. */
function mediaOf(content: unknown): readonly (readonly [name: string, media: Node])[] {
  const all = nodesOf(content);
  const others = all.filter(([name]) => !/\bxml\b/i.test(name));
  return others.some(([name]) => readsAsJson(name)) ? others : all;
}

/** Whether the client reads and writes bodies of a media type as JSON. Any type is, if the document names none. */
function readsAsJson(mediaType: string): boolean {
  return isJson(essenceOf(mediaType)) || /^(?:application|\*)\/\*/i.test(mediaType);
}

/** What separates the values of a parameter in one text; undefined if each one is a parameter. */
function separatorOf({ in: place, style, explode }: Node): string | undefined {
  if (place === 'path') return 'commas';
  if (style === 'spaceDelimited') return 'spaces';
  if (style === 'pipeDelimited') return 'vertical bars';
  return explode === false && style !== 'deepObject' ? 'commas' : undefined;
}
