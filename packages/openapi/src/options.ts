import {
  isStandardSchema,
  type JsonSchema,
  type ResponseSchemas,
  type Route,
  type RouteDocumentation,
  type Security,
  type StandardSchema,
} from '@fairlead/core';
import { throwTogether } from '@fairlead/core/extend';
import {
  anySchema,
  arrayOf,
  describeValue,
  either,
  findOptionProblems,
  fn,
  type Kinds,
  kind,
  nonEmptyString,
  object,
  oneOf,
  openapiExtensions,
  routeDocumentation,
  routeResponse,
  string,
} from '@fairlead/options';
import type { Unrepresentable } from './convert.js';
import type { OpenApiVersion } from './draft.js';

/** Extensions of OpenAPI, such as `x-logo`. */
export interface Extensions {
  readonly [name: `x-${string}`]: unknown;
}

/** An Info Object. */
export interface DocumentInfo extends Extensions {
  readonly title: string;
  /** The version of the API. */
  readonly version: string;
  readonly summary?: string;
  /** May contain Markdown. */
  readonly description?: string;
  readonly termsOfService?: string;
  readonly contact?: { readonly name?: string; readonly url?: string; readonly email?: string };
  readonly license?: { readonly name: string; readonly identifier?: string; readonly url?: string };
}

/** A Server Object. */
export interface DocumentServer extends Extensions {
  /** Absolute, or relative to the document. May contain variables in braces. */
  readonly url: string;
  readonly description?: string;
  /** The variables in the URL, by name. */
  readonly variables?: Readonly<Record<string, ServerVariable>>;
}

/** A Server Variable Object. */
export interface ServerVariable extends Extensions {
  readonly default: string;
  /** All values; any by default. */
  readonly enum?: readonly string[];
  readonly description?: string;
}

/** An External Documentation Object. */
export interface ExternalDocumentation extends Extensions {
  readonly url: string;
  readonly description?: string;
}

/** A Tag Object. */
export interface DocumentTag extends Extensions {
  readonly name: string;
  /** How to show it, if not by its name. Only in OpenAPI 3.2. */
  readonly summary?: string;
  /** May contain Markdown. */
  readonly description?: string;
  readonly externalDocs?: ExternalDocumentation;
  /** The name of the tag that contains it. Only in OpenAPI 3.2. */
  readonly parent?: string;
  /** What it groups operations for, such as `nav` or `audience`. Only in OpenAPI 3.2. */
  readonly kind?: string;
}

/** A request that the application sends to the URL of a subscriber. */
export interface DocumentWebhook extends Omit<RouteDocumentation, 'errors' | 'hidden' | 'public'> {
  /** The method of the request; `POST` by default. */
  readonly method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'GET';
  /** Describes the headers of the request. */
  readonly headers?: StandardSchema;
  /** Describes the body of the request: a Standard Schema or a JSON Schema. */
  readonly body?: StandardSchema | JsonSchema;
  /** Describes the responses that the application expects; any successful one by default. */
  readonly response?: ResponseSchemas;
  /** How the request authenticates. It meets all of them, and one of each `{ anyOf }`. */
  readonly security?: readonly Security[];
}

/** The operations of a path or a webhook, by method in lower case. */
export type DocumentPath = Record<string, Record<string, unknown>>;

/** An OpenAPI document. */
export interface OpenApiDocument {
  openapi: string;
  info: DocumentInfo;
  servers: readonly DocumentServer[];
  tags?: readonly DocumentTag[];
  externalDocs?: ExternalDocumentation;
  /** The Path Item Objects, by path. */
  paths: Record<string, DocumentPath>;
  /** The Path Item Objects, by name. */
  webhooks?: Record<string, DocumentPath>;
  /** The components of each kind, by name. */
  components: Record<string, Record<string, object>>;
  [extension: `x-${string}`]: unknown;
}

/**
 * Selects routes: path prefixes such as `/admin`, tags, or a function that returns true for the routes. It
 * receives what `app.routes()` returns.
 */
export type RouteSelection =
  | readonly string[]
  | { readonly tags: readonly string[] }
  | ((route: Route) => boolean);

/** Options of {@link createDocument}. */
export interface DocumentOptions {
  /** Title, version and further metadata of the API. */
  readonly info: DocumentInfo;
  /**
   * The version of OpenAPI; 3.1 by default. It has no methods such as QUERY and PURGE, and does not describe the
   * items of streams. The document leaves them out, with a warning unless this option is set.
   */
  readonly version?: OpenApiVersion;
  /**
   * The version of the routes to describe, for an application with the option `versions`; that of requests that name
   * none by default. Routes without a version are in each document.
   */
  readonly apiVersion?: string;
  /** Where the API is; the server of the document by default. */
  readonly servers?: readonly DocumentServer[];
  /** Order and descriptions of tags. Tags that only routes name come after them. */
  readonly tags?: readonly DocumentTag[];
  /** Where to find more documentation. */
  readonly externalDocs?: ExternalDocumentation;
  /** The requests that the application sends to subscribers, by name. */
  readonly webhooks?: Readonly<Record<string, DocumentWebhook>>;
  /** Members to add to the document, such as `{ 'x-tagGroups': [] }`. */
  readonly extensions?: Extensions;
  /** The routes of the document; all by default. Those with `hidden: true` are in none. */
  readonly include?: RouteSelection;
  /** Routes to leave out. */
  readonly exclude?: RouteSelection;
  /**
   * What to do with a schema that JSON Schema cannot express: throw an `error`, which is the default, or
   * describe it as `{}`, which allows `any` value.
   */
  readonly unrepresentable?: Unrepresentable;
  /**
   * Describes the bodies of errors, for an application whose option `format` replaces them: a Standard
   * Schema or a JSON Schema. By default, errors are problems of RFC 9457.
   */
  readonly errorSchema?: StandardSchema | JsonSchema;
  /**
   * Receives the finished document, which it may change, or replace by the one that it returns. Equal documents
   * should stay equal.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: a function that changes the document returns nothing
  readonly transform?: (document: OpenApiDocument) => OpenApiDocument | undefined | void;
}

const path = kind('a path', (value) => typeof value === 'string' && value.startsWith('/'));
const tagNames = arrayOf(nonEmptyString, 'an array of tags');

const selection = either(
  arrayOf(path, "an array of paths such as '/health'"),
  kind("tags such as { tags: ['admin'] }", (value) => {
    const keys = Object.keys(Object(value));
    return keys.join() === 'tags' && tagNames.accepts(Reflect.get(Object(value), 'tags'));
  }),
  fn,
);

/** The kinds of the options. */
export const DOCUMENT_KINDS: Kinds<DocumentOptions> = {
  info: kind('an object with a title and a version', isInfo),
  version: oneOf('3.1', '3.2'),
  apiVersion: nonEmptyString,
  servers: arrayOf(object, 'an array of objects such as { url }'),
  tags: arrayOf(object, 'an array of objects such as { name }'),
  externalDocs: object,
  webhooks: object,
  extensions: openapiExtensions,
  include: selection,
  exclude: selection,
  unrepresentable: oneOf('error', 'any'),
  errorSchema: anySchema,
  transform: fn,
};

export function isInfo(value: unknown): boolean {
  const { title, version }: { title?: unknown; version?: unknown } = Object(value);
  return [title, version].every((text) => typeof text === 'string' && text !== '');
}

/** The kinds of all members but extensions. */
type MemberKinds<Member> = Kinds<{
  [Name in keyof Member as Name extends `x-${string}` ? never : Name]: Member[Name];
}>;

const EXTERNAL_DOCS: MemberKinds<ExternalDocumentation> = {
  url: nonEmptyString,
  description: string,
};

const SERVER: MemberKinds<DocumentServer> = {
  url: nonEmptyString,
  description: string,
  variables: object,
};

const VARIABLE: MemberKinds<ServerVariable> = {
  default: string,
  enum: kind(
    'an array of at least one string',
    (value) => Array.isArray(value) && value.length > 0 && value.every(string.accepts),
  ),
  description: string,
};

const TAG: MemberKinds<DocumentTag> = {
  name: nonEmptyString,
  summary: string,
  parent: nonEmptyString,
  kind: nonEmptyString,
  description: string,
  externalDocs: object,
};

const { errors: _errors, hidden: _hidden, public: _public, ...documentation } = routeDocumentation;

const WEBHOOK: Kinds<DocumentWebhook> = {
  ...documentation,
  method: oneOf('POST', 'PUT', 'PATCH', 'DELETE', 'GET'),
  headers: kind('a Standard Schema', isStandardSchema),
  body: anySchema,
  response: routeResponse,
  security: arrayOf(object, 'an array of objects { name, scheme } or { anyOf }'),
};

/**
 * Checks the options of a call.
 *
 * @throws {SetupError} `INVALID_OPTION`, with every problem.
 */
export function checkOptions<Options extends DocumentOptions>(
  call: string,
  options: Options,
  kinds: Kinds<Options>,
): void {
  const problems = findOptionProblems(call, options, kinds);
  if (options?.info === undefined) problems.push(`${call} needs info. Pass a title and a version.`);
  throwTogether(problems);
  const { servers = [], tags = [], externalDocs, webhooks = {} } = options;
  throwTogether([
    ...servers.flatMap((server, index) =>
      findServerProblems(`servers[${index}] of ${call}`, server),
    ),
    ...tags.flatMap((tag, index) => findTagProblems(`tags[${index}] of ${call}`, tag, tags)),
    ...findMemberProblems(`externalDocs of ${call}`, externalDocs, EXTERNAL_DOCS, 'url'),
    ...Object.entries(webhooks).flatMap(([name, webhook]) =>
      findMemberProblems(`the webhook '${name}' of ${call}`, webhook, WEBHOOK),
    ),
  ]);
}

/** Finds what is wrong with a member of an option. It may have extensions. */
function findMemberProblems<Member extends object>(
  place: string,
  member: Member | undefined,
  kinds: MemberKinds<Member>,
  needed?: keyof Member & string,
): string[] {
  const entries = Object.entries(member ?? {}).filter(([name]) => !name.startsWith('x-'));
  const problems = findOptionProblems(
    place,
    object.accepts(member) ? Object.fromEntries(entries) : member,
    kinds,
  );
  if (needed === undefined || member === undefined || problems.length > 0) return problems;
  return member[needed] === undefined ? [`${place} needs ${needed}. Pass one.`] : [];
}

function findServerProblems(place: string, server: DocumentServer): readonly string[] {
  const problems = findMemberProblems(place, server, SERVER, 'url');
  if (problems.length > 0) return problems;
  const { url, variables = {} } = server;
  const used = [...url.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
  const declared = Object.entries(variables);
  return [
    ...used.flatMap((name) =>
      Object.hasOwn(variables, name)
        ? []
        : `${place} needs the variable '${name}', which its url contains. Add it: variables: { ${name}: { default: '…' } }.`,
    ),
    ...declared.flatMap(([name, variable]) => {
      const one = `the variable '${name}' of ${place}`;
      if (!used.includes(name)) return `${one} is not in its url. Remove it, or add {${name}}.`;
      const found = findMemberProblems(one, variable, VARIABLE, 'default');
      if (found.length > 0 || (variable.enum ?? [variable.default]).includes(variable.default)) {
        return found;
      }
      return `${one} cannot use ${describeValue(variable.default)} as default. Use a value of its enum.`;
    }),
  ];
}

function findTagProblems(
  place: string,
  tag: DocumentTag,
  tags: readonly DocumentTag[],
): readonly string[] {
  const problems = findMemberProblems(place, tag, TAG, 'name');
  if (problems.length > 0) return problems;
  const { name, parent, externalDocs } = tag;
  const first = tags.findIndex((other) => other?.name === name);
  if (tags[first] !== tag) {
    problems.push(`${place} repeats the name '${name}' of tags[${first}]. Join the two.`);
  }
  const outer = outerTags(tag, tags);
  if (parent !== undefined && !tags.some((other) => other?.name === parent)) {
    problems.push(`${place} has the parent '${parent}', which is not in tags. Add it to tags.`);
  } else if (outer.includes(name)) {
    problems.push(`${place} is within itself: ${[name, ...outer].join(', ')}. Remove a parent.`);
  }
  problems.push(
    ...findMemberProblems(`externalDocs of ${place}`, externalDocs, EXTERNAL_DOCS, 'url'),
  );
  return problems;
}

/** Lists the names of the tags that contain a tag, from the inside. Ends where they repeat. */
export function outerTags(tag: DocumentTag, tags: readonly DocumentTag[]): readonly string[] {
  const names: string[] = [];
  for (let { parent } = tag; parent !== undefined && !names.includes(parent); ) {
    const name: string = parent;
    names.push(name);
    parent = tags.find((other) => other?.name === name)?.parent;
  }
  return names;
}
