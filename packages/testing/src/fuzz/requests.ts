import { fillPath, isJson, isPlainObject, memberPairs, textPairs } from '@fairlead/options';
import fc, { type Arbitrary } from 'fast-check';
import type { Api, Operation, Parameter } from './operations.js';
import { recordOf, type Values } from './values.js';

/** The values of a request, before they are written as text. */
export interface Draft {
  readonly path: Members;
  readonly query: Members;
  readonly headers: Members;
  /** Undefined for a request without a body. */
  readonly body: { readonly type: string; readonly value: unknown } | undefined;
}

type Members = Readonly<Record<string, unknown>>;

/** A request that can be sent, and shown. */
export interface Written {
  readonly operation: Operation;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** The target with marks in place of what responses have told. */
  readonly source: string;
  readonly found: readonly Found[];
  readonly headers: Readonly<Record<string, string>>;
  /** Headers whose values a test reads from an earlier response. */
  readonly told?: Readonly<Record<string, Origin>>;
  readonly body: string | FormData | Uint8Array<ArrayBuffer> | undefined;
  /** A JSON body with marks in place of what responses have told. */
  readonly json: { readonly source: string } | undefined;
}

/** A part of a request that an earlier response has told. */
export interface Found {
  /** Names it in a test. */
  readonly name: string;
  readonly value: string;
  readonly origin: Origin;
  /** Whether the request has it as a number of JSON. */
  readonly isNumber: boolean;
  readonly place: 'path' | 'query' | 'body';
  /** Where it is: the name of a parameter, or the keys that lead to it. */
  readonly path: readonly (string | number)[];
}

/** A part of an earlier response: a header, or the keys that lead to a member of its body. */
export interface Origin {
  /** Identifies the response. */
  readonly response: object;
  readonly part: 'Location' | 'ETag' | readonly string[];
  /** Whether the body has it as a number. */
  readonly isNumber: boolean;
}

/** Stands for what a response has told, by its place among all of them. */
export function markOf(index: number): string {
  return `fairlead-${index}-found`;
}

/** Matches a parameter of a path, such as `{id}`. */
const PARAMETER = /(\{[^{}]*\})/;

/** Returns requests that fit the document; undefined if there is no generator for the body. */
export function validRequests(operation: Operation, values: Values): Arbitrary<Draft> | undefined {
  const ofKind = (kind: Parameter['in']) => {
    const own = operation.parameters.filter((one) => one.in === kind);
    const model = own.map((one) => [one.name, parameterValues(one, values)] as const);
    const required = own.filter(({ isRequired }) => isRequired).map(({ name }) => name);
    return recordOf(model, new Set(required));
  };
  const known = operation.bodies.filter(([type]) => isWritable(type));
  if (operation.isBodyRequired && known.length === 0) return undefined;
  const bodies = known.map(([type, schema]) => values.of(schema).map((value) => ({ type, value })));
  const none = fc.constant(undefined);
  const hasBody = bodies.length > 0 && canHaveBody(operation.method);
  const body = !hasBody
    ? none
    : operation.isBodyRequired
      ? fc.oneof(...bodies)
      : fc.oneof(none, ...bodies.map((arbitrary) => ({ weight: 4, arbitrary })));
  return fc.record({
    path: ofKind('path'),
    query: ofKind('query'),
    headers: ofKind('header'),
    body,
  }) as Arbitrary<Draft>;
}

/** Text that a path or a header may have. */
const PATH_TEXT = fc.oneof(
  fc.integer({ min: 1, max: 20 }).map(String),
  fc.stringMatching(/^[a-z][a-zA-Z0-9-]{0,11}$/),
  fc.uuid({ version: 4 }),
  fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme' }),
);
const HEADER_TEXT = fc.stringMatching(/^[a-zA-Z0-9][a-zA-Z0-9 _.,;=-]{0,10}[a-zA-Z0-9]$/);

function parameterValues({ in: kind, schema }: Parameter, values: Values): Arbitrary<unknown> {
  // Of any text, most cannot be part of a path or a header.
  const isAnyText = Object.keys(schema).every((name) => name === 'type' || name === 'description');
  if (!isAnyText || Reflect.get(schema, 'type') !== 'string') return values.of(schema);
  if (kind === 'query') return values.of(schema);
  return kind === 'path' ? PATH_TEXT : HEADER_TEXT;
}

function isWritable(type: string): boolean {
  return (
    isJson(type) ||
    type.startsWith('text/') ||
    /^(?:application\/x-www-form-urlencoded|multipart\/form-data|application\/octet-stream)$/.test(
      type,
    )
  );
}

export function canHaveBody(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/**
 * Writes a request.
 *
 * @param found - What earlier responses have told. What the draft has in its place is not used.
 * @returns Undefined if text cannot carry the values.
 */
export function writeRequest(
  operation: Operation,
  given: Draft,
  found: readonly Found[] = [],
): Written | undefined {
  try {
    const draft = fill(given, found, ({ value, isNumber }) => (isNumber ? Number(value) : value));
    const marked = fill(given, found, (one) => markOf(found.indexOf(one)));
    const body = writeBody(draft.body, operation.parts);
    const target = writePath(operation, draft.path) + writeQuery(operation, draft.query);
    const source = writePath(operation, marked.path) + writeQuery(operation, marked.query);
    const headers = Object.entries(draft.headers).flatMap(([name, value]) => {
      const text = [value].flat().join(', ');
      return value === undefined || value === null ? [] : [[name, text] as const];
    });
    const type = draft.body?.type;
    const isOwnType =
      body === undefined ? operation.method === 'QUERY' : type !== 'multipart/form-data';
    const written = {
      ...operation.headers,
      ...Object.fromEntries(headers),
      ...(isOwnType && { 'Content-Type': type ?? 'application/json' }),
    };
    // What the header cannot carry throws.
    new Headers(written);
    return {
      operation,
      method: operation.method,
      target,
      source,
      found,
      headers: written,
      body,
      json:
        type !== undefined && isJson(type)
          ? { source: JSON.stringify(marked.body?.value) }
          : undefined,
    };
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Replaces parts of a draft by what responses have told. */
export function fill(
  draft: Draft,
  found: readonly Found[],
  toPart: (one: Found) => unknown,
): Draft {
  let { path, query, body } = draft;
  for (const one of found) {
    const part = toPart(one);
    if (one.place === 'path') path = Object(replaceAt(path, one.path, part));
    else if (one.place === 'query') query = Object(replaceAt(query, one.path, part));
    else if (body !== undefined) body = { ...body, value: replaceAt(body.value, one.path, part) };
  }
  return { ...draft, path, query, body };
}

function replaceAt(whole: unknown, [key, ...rest]: Found['path'], value: unknown): unknown {
  if (key === undefined) return value;
  const part = replaceAt(Reflect.get(Object(whole), key), rest, value);
  return Array.isArray(whole) ? whole.with(Number(key), part) : { ...Object(whole), [key]: part };
}

function writePath({ path, parameters }: Operation, values: Members): string {
  return fillPath(
    path.replace(/[^\x21-\x7e]+/g, encodeURIComponent),
    PARAMETER,
    (text) => {
      const name = decodeURIComponent(text.slice(1, -1));
      const isWildcard = parameters.some((one) => one.name === name && one.isWildcard);
      return { subject: name, value: values[name], isWildcard, mayBeEmpty: true };
    },
    (problem) => {
      throw new TypeError(problem);
    },
  );
}

function writeQuery({ parameters }: Operation, values: Members): string {
  const pairs = Object.entries(values).flatMap(([name, value]) => {
    const isSpread = parameters.some((one) => one.name === name && one.isSpread);
    return isSpread && isPlainObject(value) ? memberPairs(Object(value)) : textPairs(name, value);
  });
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

function writeBody(body: Draft['body'], parts: Operation['parts']): Written['body'] {
  if (body === undefined) return undefined;
  const { type, value } = body;
  if (isJson(type)) return JSON.stringify(value);
  if (type === 'application/x-www-form-urlencoded')
    return new URLSearchParams(memberPairs(Object(value))).toString();
  if (type === 'multipart/form-data') return writeForm(Object(value), parts);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (type === 'application/octet-stream') return new TextEncoder().encode(text);
  if (text.isWellFormed()) return text;
  throw new TypeError('The text contains half of a character.');
}

function writeForm(members: Members, parts: Operation['parts']): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(members)) {
    const part = parts.get(name);
    if (part === undefined) for (const pair of textPairs(name, value)) form.append(...pair);
    else if (isJson(part)) form.append(name, JSON.stringify(value));
    else {
      for (const one of [value].flat())
        form.append(name, new Blob([String(one)], { type: part }), `${name}.bin`);
    }
  }
  return form;
}

/** Whether the document certainly refuses a part of a draft, because no generator knows its keywords. */
export function misfits(operation: Operation, draft: Draft, { schemas }: Api): boolean {
  const byPlace = { path: draft.path, query: draft.query, header: draft.headers };
  const isWrong = operation.parameters.some(({ in: place, name, schema }) => {
    const value = byPlace[place][name];
    return value !== undefined && schemas.findMisfit(schema, value) !== undefined;
  });
  if (isWrong || draft.body === undefined) return isWrong;
  const { type, value } = draft.body;
  const schema = operation.bodies.find(([one]) => one === type)?.[1] ?? {};
  return schemas.findMisfit(schema, value) !== undefined;
}
