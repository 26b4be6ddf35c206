import type { IncomingHttpHeaders } from 'node:http';
import { isStandardSchema, type StandardSchema } from '@fairlead/core';
import {
  anything,
  boolean,
  isClass,
  isPlainObject,
  isToken,
  type Kinds,
  kind,
  schemaKind,
} from '@fairlead/options';
import { refuse } from '../errors.js';
import type { MethodMetadata } from '../metadata/class-metadata.js';
import type { Fault } from '../metadata/mistakes.js';
import {
  type AllValuesOptions,
  describeParameter,
  type Given,
  type ParamDecorator,
  type ParameterMetadata,
  type ParameterSource,
  type ParamOptions,
  type StringRecord,
  type Transform,
  type Validated,
} from '../metadata/parameter.js';
import { readOptions } from '../metadata/read-options.js';
import type { Spell } from '../metadata/style.js';
import { createDecorator, PARAMETER, type Reading } from './decorator.js';

/** What an argument must be. The branch of `never` lets TypeScript infer its type, too. */
type Checked<Argument, Type> = [Argument] extends [never] ? Argument : Type;

/**
 * The type of a decorator's values; unknown if its arguments are wrong. Otherwise the compiler would report not only
 * the wrong argument, but also the type of the parameter.
 */
type GivenIfValid<Name, Options, Value> = [Name] extends [string]
  ? // TypeScript accepts a schema as options, if it has methods of their names.
    unknown extends Options
    ? Value
    : Options extends StandardSchema | OnlyOptions<Options>
      ? Value
      : unknown
  : unknown;

type OnlyOptions<Options> = ValidOptions & {
  readonly [Name in Exclude<keyof Options, keyof ValidOptions>]: never;
};

interface ValidOptions extends Omit<ParamOptions<never>, 'transform'> {
  readonly transform?: StandardSchema | ((...values: never[]) => unknown);
  readonly all?: boolean;
}

/**
 * Extracts a value of type `Value`.
 *
 * @param name - Name of the field, parameter or header.
 * @param options - Schema, presence, default and transform.
 */
type NamedSource<Value> = <
  S extends StandardSchema = never,
  T extends Transform<Validated<S, Value>> = Transform<Validated<S, Value>>,
  D = never,
  Options = unknown,
  Name = string,
>(
  name: Checked<Name, string>,
  options?: ParamOptions<Validated<S, Value>, T, D, S> & Checked<Options, unknown>,
) => ParamDecorator<GivenIfValid<Name, Options, Given<Validated<S, Value>, T, D, S>>>;

/**
 * Extracts everything that a source has.
 *
 * @param options - Schema, presence, default and transform.
 */
type WholeSource<Whole> = <
  S extends StandardSchema = never,
  T extends Transform<Validated<S, Whole>> = Transform<Validated<S, Whole>>,
  D = never,
  Options = unknown,
>(
  options?: ParamOptions<Validated<S, Whole>, T, D, S> & Checked<Options, unknown>,
) => ParamDecorator<GivenIfValid<string, Options, Given<Validated<S, Whole>, T, D, S>>>;

/**
 * Extracts every value of a repeated query parameter.
 *
 * @param name - Name of the parameter.
 * @param options - With `all: true`; the values are a non-empty array.
 */
type RepeatedSource = <
  S extends StandardSchema = never,
  T extends Transform<Validated<S, string[]>> = Transform<Validated<S, string[]>>,
  D = never,
  Options = unknown,
  Name = string,
>(
  name: Checked<Name, string>,
  options: AllValuesOptions<Validated<S, string[]>, T, D, S> & Checked<Options, unknown>,
) => ParamDecorator<GivenIfValid<Name, Options, Given<Validated<S, string[]>, T, D, S>>>;

/** What decorators of the same name do on methods, in other frameworks or as other route decorators would. */
const ON_METHODS: Readonly<Partial<Record<ParameterSource, string>>> = {
  header: '@SetHeader(name, value) to set a response header',
  query: '@QueryRoute(path) to handle QUERY requests',
};

/** Extracts the request body, or one of its fields. Required unless `required: false`. */
export const Body: NamedSource<unknown> & WholeSource<unknown> = sourceDecorator('Body', 'body');

/**
 * Extracts one route parameter, decoded: `id` for `/:id`; or all, as an object of strings. Required unless
 * `required: false`.
 */
export const Param: NamedSource<string> & WholeSource<StringRecord> = sourceDecorator(
  'Param',
  'param',
);

/**
 * Extracts the first value of a query parameter, or with `all: true` every value; or all parameters, as an
 * object of strings with the first value of each. Optional unless `required: true`.
 */
export const Query: RepeatedSource & NamedSource<string> & WholeSource<StringRecord> =
  sourceDecorator('Query', 'query');

/**
 * Extracts one request header, case-insensitive; or all, as the object of node:http with lower-case names.
 * Optional unless `required: true`.
 */
export const Header: NamedSource<string> & WholeSource<IncomingHttpHeaders> = sourceDecorator(
  'Header',
  'header',
);

/** Injects the context. */
export const Ctx: () => ParameterDecorator = plainDecorator('Ctx', 'ctx');

/** Injects Node's request. */
export const Req: () => ParameterDecorator = plainDecorator('Req', 'req');

/**
 * Injects Node's response. A method that neither returns a value nor responds through the context must write
 * and end it.
 */
export const Res: () => ParameterDecorator = plainDecorator('Res', 'res');

function plainDecorator(name: string, source: ParameterSource): () => ParameterDecorator {
  const read = (spell: Spell) => readParameter(spell(`@${name}()`), { source }, undefined);
  return createDecorator({ name, target: PARAMETER, takes: 0, read });
}

function sourceDecorator<Decorator>(name: string, source: ParameterSource): Decorator {
  const isHeader = source === 'header';
  const required = source === 'body' || source === 'param';
  const read = (spell: Spell, first: unknown, second: unknown): Reading<MethodMetadata> => {
    if (typeof first === 'string' && (isHeader ? isToken(first) : first !== '')) {
      const kinds = source === 'query' ? ALL_VALUES_OPTIONS : PARAM_OPTIONS;
      return readParameter(
        spell(`@${name}('${first}')`),
        { source, name: first, required },
        second,
        kinds,
      );
    }
    const call = spell(`@${name}()`);
    const isUnnamed = second === undefined && typeof first !== 'string';
    const reading = readParameter(call, { source, required }, isUnnamed ? first : second);
    if (isUnnamed || first === undefined) return reading;
    const fix = typeof first === 'string' ? 'pass a valid name, or no name.' : 'pass a string.';
    return { ...reading, faults: [refuse(call, first, 'name', fix)] };
  };
  const other = ON_METHODS[source];
  const { fix } = PARAMETER;
  const ofClass = other === undefined ? fix.class : `${fix.class.slice(0, -1)}, or use ${other}.`;
  const target = { ...PARAMETER, fix: { ...fix, class: ofClass } };
  return createDecorator({ name, target, takes: 2, read });
}

type SourceOptions = ParamOptions & Partial<Pick<AllValuesOptions, 'all'>>;

const PARAM_OPTIONS: Kinds<ParamOptions> = {
  schema: schemaKind(isStandardSchema),
  required: boolean,
  default: anything,
  transform: kind('a function (value) => result, or a Standard Schema', isTransform),
};

const ALL_VALUES_OPTIONS: Kinds<SourceOptions> = { ...PARAM_OPTIONS, all: boolean };

/** The classes of the language that convert a value when they are called without `new`. */
const CONVERTERS: ReadonlySet<unknown> = new Set([Number, String, Boolean, BigInt, Object, Array]);

function isTransform(value: unknown): value is Transform {
  if (isStandardSchema(value)) return true;
  return typeof value === 'function' && (!isClass(value) || CONVERTERS.has(value));
}

/** Reads the options of a parameter decorator. They override what the decorator implies. */
export function readParameter(
  call: string,
  parameter: Pick<ParameterMetadata, 'source'> &
    Partial<Pick<ParameterMetadata, 'name' | 'required' | 'extract'>>,
  value: unknown,
  kinds: Partial<Kinds<SourceOptions>> = PARAM_OPTIONS,
): Reading<MethodMetadata> {
  const { options, faults } = mayBeOptions(value)
    ? readOptions<SourceOptions>(call, value, kinds)
    : { options: {}, faults: [optionsFault(call, value)] };
  const { schema, transform, required, all = false } = options;
  const isSchema = isStandardSchema(transform);
  const metadata: ParameterMetadata = Object.freeze({
    name: undefined,
    extract: undefined,
    ...parameter,
    all,
    required: required ?? parameter.required ?? false,
    isRequiredSet: required !== undefined,
    default: options.default,
    schema: schema ?? (isSchema ? transform : undefined),
    transform: isSchema ? undefined : transform,
  });
  const twoSchemas = {
    problem: `${call} has two schemas: one in schema and one in transform.`,
    fix: 'combine them into one schema, or pass a function as transform.',
  };
  return {
    faults: isSchema && schema !== undefined ? [...faults, twoSchemas] : faults,
    check: ({ parameters }, { index }) => {
      const other = parameters.get(index);
      return other && repeatedFault(index, metadata, other);
    },
    apply: ({ parameters }, { index }) => ({
      parameters: new Map(parameters).set(index, metadata),
    }),
  };
}

/** Whether a value is an object literal, or undefined. A schema and an instance of a class are not. */
function mayBeOptions(value: unknown): boolean {
  return value === undefined || (isPlainObject(value) && !isStandardSchema(value));
}

/** Explains that a value is not an object with options. Often it is the schema or the transform. */
function optionsFault(call: string, value: unknown): Fault {
  const isPipe = typeof value === 'object' && value !== null && 'transform' in value;
  if (typeof value !== 'function' && !isPipe && !isStandardSchema(value)) {
    return refuse(call, value, 'options', 'pass an object, such as { required: true }.');
  }
  const start = call.endsWith('()') ? call.slice(0, -1) : `${call.slice(0, -1)}, `;
  return refuse(call, value, 'options', `write ${start}${optionsText(value)}).`);
}

function optionsText(value: unknown): string {
  if (isStandardSchema(value)) return '{ schema }';
  const name: unknown = isTransform(value) ? Reflect.get(value, 'name') : '';
  const isNamed = typeof name === 'string' && name !== '';
  return `{ transform: ${isNamed ? name : '(value) => …'} }`;
}

function repeatedFault(index: number, one: ParameterMetadata, other: ParameterMetadata): Fault {
  const sources = [one, other].map(({ source, name }) => describeParameter(source, name));
  const problem = `parameter ${index} has two decorators: for the ${sources.join(' and the ')}.`;
  return { problem, fix: 'keep one.' };
}
