import {
  anySchema,
  anything,
  describeValue,
  explainSchema,
  findOptionProblems,
  isJson,
  isMediaRange,
  isSchema,
  isSchemaMap,
  type Kinds,
  kind,
  object,
  openapiExtensions,
  rangesOf,
  string,
} from '@fairlead/options';
import {
  type DeclaredOutput,
  isStandardSchema,
  type JsonSchema,
  type JsonSchemaOptions,
  type ReadonlyDeep,
  type SchemaInput,
  type SchemaOutput,
  type SchemaStructure,
  STRUCTURE,
  type StandardSchema,
  type Structured,
  structureOf,
  structureOfKinds,
  toJsonSchema,
} from '@fairlead/schemas';
import type { Responder } from '../annotations/description.js';
import type { HeaderDescriptions } from '../annotations/documentation.js';
import type { ResponseBody } from '../response/record.js';
import { throwTogether } from '../setup/options.js';

/** A media type without parameters, such as `text/csv`, or a range of them, such as `image/*`. */
export type MediaTypeName = `${string}/${string}`;

/** Members of generated documents that OpenAPI does not define. */
export type Extensions = Readonly<Record<`x-${string}`, unknown>>;

/** What a body may look like, for documentation. */
export interface Examples {
  readonly example?: unknown;
  /** Several examples, by name. */
  readonly examples?: Readonly<Record<string, Example>>;
}

/** An example, for documentation. */
export interface Example {
  readonly summary?: string;
  /** May contain Markdown. */
  readonly description?: string;
  readonly value: unknown;
}

/** What {@link content} tells about a response or a request body as a whole, for documentation. */
export interface ContentDetails {
  /** May contain Markdown. By default, a response has the reason phrase of its status. */
  readonly description?: string;
  /** Headers of the response. Without effect for a request body. */
  readonly headers?: HeaderDescriptions;
  readonly extensions?: Extensions;
}

/** A media type of {@link content}: its schema, and what else documentation tells about it. */
export interface MediaTypeDetails extends Examples {
  /** A Standard Schema or a JSON Schema; `{}` for none. */
  readonly schema: StandardSchema | JsonSchema;
  readonly extensions?: Extensions;
}

/** The media types of a body, each with its schema or with more about it. */
export type MediaTypes = Readonly<
  Record<MediaTypeName, StandardSchema | JsonSchema | MediaTypeDetails>
>;

/** One media type of a body, as tools read it. */
export interface MediaTypeDescription extends MediaTypeDetails {
  /** Undefined for `application/json` in responses, and for those of the parsers in request bodies. */
  readonly type: string | undefined;
  /** Whether the body is a sequence of values, each of which the schema describes. */
  readonly isSequence: boolean;
}

/** A response or a request body, as tools read it. */
export interface ContentDescription extends ContentDetails {
  /** Empty for a response without a body. */
  readonly mediaTypes: readonly MediaTypeDescription[];
}

/** The media types that `Described` names, with their schemas. */
type Named<Described> = Described extends null
  ? Readonly<Record<never, never>>
  : Described extends MediaTypeName
    ? { readonly [Type in Described]: unknown }
    : Described extends StandardSchema
      ? { readonly 'application/json': Described }
      : [Extract<keyof Described, MediaTypeName>] extends [never]
        ? { readonly 'application/json': Described }
        : Described;

type SchemaOf<Media> = Media extends StandardSchema
  ? Media
  : Media extends { readonly schema: infer Schema }
    ? Schema
    : Media;

type JsonName = 'application/json' | 'text/json' | `${string}/${string}+json`;

/** Ranges of media types that include JSON. */
type JsonRange = 'application/*' | '*/*';

/** Accepts what {@link content} describes; never for members that are neither media types nor keywords. */
type OnlyDescribed<Described> = Described extends StandardSchema | string | null
  ? unknown
  : [Extract<keyof Described, MediaTypeName>] extends [never]
    ? [keyof Described] extends [never]
      ? unknown
      : [Extract<keyof Described, keyof JsonSchema>] extends [never]
        ? never
        : {
            readonly [Name in keyof Described]: Described[Name] extends StandardSchema
              ? never
              : unknown;
          }
    : { readonly [Name in Exclude<keyof Described, MediaTypeName>]: never };

/** What a handler returns for one media type. */
type ReturnedAs<Type, Schema> = Type extends JsonName
  ? ReadonlyDeep<DeclaredOutput<Schema>>
  : Type extends JsonRange
    ? ReadonlyDeep<DeclaredOutput<Schema>> | ResponseBody
    : Type extends 'text/event-stream'
      ? (Responder & { readonly '~events': DeclaredOutput<Schema> }) | ResponseBody
      : ResponseBody;

/** What a client receives for one media type. */
type ReceivedAs<Type, Schema> = Type extends JsonName
  ? SchemaOutput<Schema>
  : Type extends 'text/event-stream'
    ? { readonly '~events': DeclaredOutput<Schema> }
    : Type extends `text/${string}`
      ? string
      : unknown;

/** Anything but no body. */
type AnyBody = NonNullable<unknown> | null;

/** What a client passes as JSON. Only a Standard Schema may accept no body. */
type SentJson<Schema> = Schema extends StandardSchema
  ? SchemaInput<Schema>
  : unknown extends Schema
    ? unknown
    : AnyBody;

/** Undefined for a schema that accepts no body, or else never. */
type Absence<Schema> = Schema extends StandardSchema
  ? undefined extends SchemaInput<Schema>
    ? undefined
    : never
  : never;

type MapTypes<Types> = {
  readonly [Type in keyof Types]: {
    readonly input: Type extends JsonName ? SentJson<SchemaOf<Types[Type]>> : never;
    readonly absent: Absence<SchemaOf<Types[Type]>>;
    readonly output: SchemaOutput<SchemaOf<Types[Type]>>;
    readonly returned: ReturnedAs<Type, SchemaOf<Types[Type]>>;
    readonly received: ReceivedAs<Type, SchemaOf<Types[Type]>>;
  };
}[keyof Types];

/** What a client passes as the body: JSON, if the route accepts it. */
type Sent<Input, Absent> = [Input] extends [never] ? AnyBody | Absent : Input;

/** A response or a request body of certain media types, created by {@link content}. */
export interface Content<Described = unknown>
  extends StandardSchema<
    Sent<MapTypes<Named<Described>>['input'], MapTypes<Named<Described>>['absent']>,
    MapTypes<Named<Described>>['output']
  > {
  /** What a handler may return. Exists only in types. */
  readonly '~returned': MapTypes<Named<Described>>['returned'];
  /** What a client receives; undefined for a response without a body. Exists only in types. */
  readonly '~received': Described extends null ? undefined : MapTypes<Named<Described>>['received'];
}

/** A global symbol, so that two copies of core recognize each other's values. */
const CONTENT = Symbol.for('fairlead:content');

/** Media types that are sequences of values. OpenAPI 3.2 §4.14.3 */
const SEQUENCES: ReadonlySet<string> = new Set([
  'text/event-stream',
  'application/jsonl',
  'application/x-ndjson',
  'application/json-seq',
]);

const EXAMPLE_KINDS: Kinds<Examples> = {
  example: anything,
  examples: kind("an object such as { ada: { value: { name: 'Ada' } } }", (value) =>
    isRecord(value, (one) => object.accepts(one) && 'value' in Object(one)),
  ),
};

const headers = kind("an object such as { Location: 'The URL of the new user.' }", (value) =>
  isRecord(
    value,
    (one) =>
      string.accepts(one) ||
      (object.accepts(one) && anySchema.accepts(Reflect.get(Object(one), 'schema') ?? {})),
  ),
);

const DETAIL_KINDS: Kinds<ContentDetails & Examples> = {
  description: string,
  headers,
  extensions: openapiExtensions,
  ...EXAMPLE_KINDS,
};

const MEDIA_TYPE_KINDS: Kinds<MediaTypeDetails> = {
  schema: anySchema,
  extensions: openapiExtensions,
  ...EXAMPLE_KINDS,
};

function isRecord(value: unknown, accepts: (member: unknown) => boolean): boolean {
  return object.accepts(value) && Object.values(Object(value)).every(accepts);
}

/**
 * Describes a response or a request body: its media types, and for documentation a description, headers and
 * examples. Pass it in place of a schema in the options `response` and `body` of a route.
 *
 * What a handler returns is sent as the first media type that fits, unless it sets `Content-Type`: text, bytes and
 * streams as one that is not JSON, other values as one that is. A request body is validated by the schema of its
 * `Content-Type`. The schema of `text/event-stream` describes one event, and that of `application/jsonl`,
 * `application/x-ndjson` and `application/json-seq` one item.
 *
 * @param described - A schema, for the usual media types: JSON, or those of the body parsers; one media type, such as
 *   `'image/png'`; schemas by media type, such as `{ 'application/json': User, 'text/csv': z.string() }`; or null for
 *   a response without a body, or whose body is that of errors.
 * @throws {SetupError} `INVALID_OPTION`, when an argument is invalid.
 */
export function content<
  const Described extends StandardSchema | JsonSchema | MediaTypes | MediaTypeName | null,
>(
  described: Described & OnlyDescribed<Described>,
  details: ContentDetails & Examples = {},
): Content<Described> {
  const problems = findOptionProblems('content()', details, DETAIL_KINDS);
  const { example, examples, ...shared } = Object(details) as ContentDetails & Examples;
  const hasExamples = example !== undefined || examples !== undefined;
  const mediaTypes = readMediaTypes(described, problems);
  const [only, ...others] = mediaTypes;
  if (hasExamples && (only === undefined || others.length > 0)) {
    problems.push(
      'content() cannot tell which media type its example belongs to. Pass { schema, example } as the value of that media type.',
    );
  }
  throwTogether(problems);
  const own = { ...(example !== undefined && { example }), ...(examples && { examples }) };
  const listed = mediaTypes.map((one) => Object.freeze(hasExamples ? { ...one, ...own } : one));
  // The members of the type exist only in types.
  return new DescribedContent({
    ...shared,
    mediaTypes: Object.freeze(listed),
  }) as object as Content<Described>;
}

function readMediaTypes(described: unknown, problems: string[]): MediaTypeDescription[] {
  if (described === null) return [];
  if (typeof described === 'string') return [readMediaType(described, {}, problems)];
  if (!isSchema(described)) {
    problems.push(
      `content() cannot use ${describeValue(described)}. Pass a schema, a media type such as 'image/png', schemas by media type, or null.`,
    );
    return [];
  }
  if (isSchemaMap(described))
    return Object.entries(described).map(([name, value]) => readMediaType(name, value, problems));
  problems.push(...explainSchema(described).map((part) => `content() cannot use ${part}`));
  return [{ type: undefined, schema: described, isSequence: false }];
}

function readMediaType(name: string, value: unknown, problems: string[]): MediaTypeDescription {
  const type = name.toLowerCase();
  if (!isMediaRange(type)) {
    problems.push(
      `content() cannot use '${name}' as a media type. Use a type without parameters, such as 'text/csv', or a range, such as 'image/*'.`,
    );
  }
  if (!isSchema(value)) {
    problems.push(
      `content() cannot use ${describeValue(value)} as the schema of '${name}'. Use a Standard Schema, a JSON Schema, or {} for none.`,
    );
  }
  // No keyword of JSON Schema has this name.
  const isDetailed = !isStandardSchema(value) && Object.hasOwn(Object(value), 'schema');
  if (isDetailed) {
    problems.push(
      ...findOptionProblems(`content() with '${name}'`, Object(value), MEDIA_TYPE_KINDS),
    );
  } else
    problems.push(
      ...explainSchema(value).map((part) => `content() with '${name}' cannot use ${part}`),
    );
  const details = (isDetailed ? value : { schema: value }) as MediaTypeDetails;
  return { ...details, type, isSequence: SEQUENCES.has(type) };
}

/** A body whose media type is known. */
class TypedBody {
  constructor(
    readonly mediaType: MediaTypeDescription,
    readonly value: unknown,
  ) {}
}

/** What {@link content} returns. As a schema, it is that of JSON, or else that of its first media type. */
class DescribedContent implements StandardSchema, Structured {
  readonly '~standard': StandardSchema['~standard'];
  readonly [CONTENT]: ContentDescription;

  constructor(description: ContentDescription) {
    const { mediaTypes } = description;
    const main = mediaTypes.find(({ type }) => type === undefined || isJson(type)) ?? mediaTypes[0];
    const schema = main?.isSequence === false ? main.schema : {};
    const standard = isStandardSchema(schema) ? schema['~standard'] : undefined;
    const convert = (form: 'input' | 'output') => (options: JsonSchemaOptions) => ({
      ...toJsonSchema(schema, form, options.target, options.libraryOptions),
    });
    this[CONTENT] = Object.freeze(description);
    this['~standard'] = {
      version: 1,
      vendor: standard?.vendor ?? 'fairlead',
      validate: (value) =>
        value instanceof TypedBody
          ? validateAs(value.mediaType, value.value)
          : validateAs(main, value),
      ...((standard === undefined || standard.jsonSchema !== undefined) && {
        jsonSchema: { input: convert('input'), output: convert('output') },
      }),
    };
    Object.freeze(this);
  }

  /** Returns what the schema of JSON accepts, or else that of the first media type. */
  [STRUCTURE](): SchemaStructure {
    const { mediaTypes } = this[CONTENT];
    const isOfJson = ({ type = 'application/json' }: MediaTypeDescription) => isJson(type);
    const main = mediaTypes.find(isOfJson) ?? mediaTypes[0];
    if (main === undefined) return structureOfKinds('any', 'undefined');
    const isKnown = isStandardSchema(main.schema) && !main.isSequence;
    return isKnown ? structureOf(main.schema) : structureOfKinds('other');
  }

  /** Returns what `validate` accepts for a body of a media type; undefined for one that is not described. */
  withType(essence: string, value: unknown): unknown {
    const found = findMediaType(this[CONTENT].mediaTypes, essence, isJson(essence));
    return found && new TypedBody(found, value);
  }
}

/**
 * Returns the media type that describes a body: the type itself, or else a range. `application/json` also describes
 * JSON of other types, which have none of their own, but no other type of JSON does.
 *
 * @param isOfJson - Whether the body is JSON.
 */
export function findMediaType(
  mediaTypes: readonly MediaTypeDescription[],
  essence: string,
  isOfJson: boolean,
): MediaTypeDescription | undefined {
  const ranges = rangesOf(essence);
  const usual = isOfJson ? [undefined, 'application/json'] : [];
  const names = [...ranges.slice(0, -2), ...usual, ...ranges.slice(-2)];
  for (const name of names) {
    const found = mediaTypes.find(({ type }) => type === name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function validateAs(mediaType: MediaTypeDescription | undefined, value: unknown) {
  const { schema, isSequence } = mediaType ?? {};
  if (isStandardSchema(schema) && isSequence === false) return schema['~standard'].validate(value);
  const isMissing = value === undefined && mediaType !== undefined;
  return isMissing ? { issues: [{ message: 'is required' }] } : { value };
}

/** Returns what a value of {@link content} describes; undefined for another schema. */
export function contentOf(schema: unknown): ContentDescription | undefined {
  return (schema as { readonly [CONTENT]?: ContentDescription } | undefined)?.[CONTENT];
}

/** Lists the media types that {@link content} names; none for another schema. */
export function namedTypes(schema: unknown): readonly string[] {
  return (contentOf(schema)?.mediaTypes ?? []).flatMap(({ type }) => type ?? []);
}

/**
 * Returns the function that adds its media type to a body for {@link content}.
 *
 * @returns Undefined for a schema that does not depend on the media type. The function returns undefined for a media
 *   type that is not described.
 * @throws {SetupError} `INVALID_OPTION`, when nothing can validate bodies of a media type.
 */
export function typeBodies(
  schema: StandardSchema,
): ((essence: string, body: unknown) => unknown) | undefined {
  const { mediaTypes } = contentOf(schema) ?? {};
  if (mediaTypes === undefined) return undefined;
  const unusable = mediaTypes.filter(
    (one) => !isStandardSchema(one.schema) && Object.keys(one.schema).length > 0,
  );
  throwTogether(
    mediaTypes.length === 0
      ? ['content(null) describes no body. Pass a schema, or omit the body.']
      : unusable.map(
          ({ type = 'application/json' }) =>
            `content() cannot validate request bodies with the JSON Schema of '${type}'. Use a Standard Schema, or {} to accept any body.`,
        ),
  );
  const described = schema as object as DescribedContent;
  if (namedTypes(schema).length === 0) return undefined;
  return (essence, body) => described.withType(essence, body);
}

/** The part of a route's options that describes its responses. */
export interface DescribesResponses {
  readonly response?: object;
}

/**
 * Returns the schemas of a route's responses by status. The key 0 is for every successful status without
 * another schema.
 */
export function responseSchemas({ response }: DescribesResponses): ReadonlyMap<number, object> {
  if (response === undefined) return new Map();
  const entries = isStandardSchema(response) ? [] : Object.entries(response);
  const isByStatus = entries.length > 0 && entries.every(([key]) => /^[2-5]\d\d$/.test(key));
  if (!isByStatus) return new Map([[0, response]]);
  return new Map(entries.map(([status, one]) => [Number(status), one]));
}
