import type { StandardSchema } from '@fairlead/core';
import { isStandardSchema, type SchemaInput, type SchemaOutput, SetupError } from '@fairlead/core';
import { throwTogether } from '@fairlead/core/extend';
import {
  arrayOf,
  boolean,
  captureCaller,
  describeValue,
  findOptionProblems,
  formatLocation,
  type Kinds,
  kind,
  warn,
} from '@fairlead/options';
import { describeVariables } from './describe-schema.js';
import { locateVariables } from './locate-variables.js';
import {
  type Definition,
  type Environment,
  type Reading,
  readSources,
  readVariables,
  type Variable,
} from './read-variables.js';

/** Environment variables are missing or invalid. The message has a line for each of them. */
export class ConfigError extends SetupError {
  /**
   * @param problems - One line per problem; at least one.
   * @param place - A line with the location of the configuration, after a line break.
   */
  constructor(problems: readonly string[], place = '') {
    const [only, ...others] = problems;
    const message =
      others.length === 0
        ? `Invalid environment variable: ${only}`
        : ['Invalid environment variables:', ...problems].join('\n  ');
    super('CONFIG_INVALID', message + place);
  }
}

/** What {@link defineConfig} accepts: a schema for each variable, or one of an object with all of them. */
export type ConfigSchema = StandardSchema | Readonly<Record<string, StandardSchema>>;

/** The values of a configuration. */
export type ConfigValues<Schema> = Schema extends StandardSchema
  ? Readonly<SchemaOutput<Schema> & object>
  : { readonly [Name in keyof Schema]: SchemaOutput<Schema[Name]> };

/** Variables for {@link ConfigClass}, such as those of a test, as text. */
export type ConfigInput<Schema> = Schema extends StandardSchema
  ? { readonly [Name in keyof SchemaInput<Schema>]?: string | undefined }
  : { readonly [Name in keyof Schema]?: string | undefined };

/** The class of a configuration, which is also its token in containers. */
export interface ConfigClass<Schema> {
  /** A container builds it without arguments. */
  readonly inject: readonly [];
  /**
   * Reads the configuration, and freezes it.
   *
   * @param variables - The only variables to read. By default, those of the environment and of the files: reading a
   *   value that is missing or invalid then throws, and `serve()` and containers report all of them.
   * @throws {ConfigError} `CONFIG_INVALID`, when some of `variables` are missing or invalid.
   */
  new (variables?: ConfigInput<Schema>): ConfigValues<Schema>;
  /** Formats a list of the variables for `--help`: what they are for, what they accept, and their defaults. */
  help(): string;
  /** Returns what is wrong with the environment and the files. */
  problems(): readonly ConfigError[];
  /** Lists the variables, and whether they are set. */
  variables(): readonly Variable[];
}

/** Options of {@link defineConfig}. */
export interface ConfigOptions {
  /**
   * Files with variables, relative to the working directory; `['.env']` by default. Missing files are ignored. Later
   * files win over earlier ones, and the environment wins over all of them.
   */
  readonly files?: readonly string[];
  /**
   * Whether messages may repeat values; false by default. A message of a schema that repeats one is replaced, because
   * it may be a secret.
   */
  readonly showValues?: boolean;
}

const OPTIONS: Kinds<ConfigOptions> = {
  files: arrayOf(
    kind('a path', (value) => typeof value === 'string' && value !== ''),
    "an array of paths, such as ['.env']",
  ),
  showValues: boolean,
};

/** A configuration that a module has defined. */
export interface DefinedConfig {
  readonly names: ReadonlySet<string>;
  /** Where it is defined, if that is known. */
  location(): string | undefined;
  variables(): readonly Variable[];
  /** Returns what is wrong with the environment and the files. */
  problems(): readonly ConfigError[];
  /** Returns what may be wrong with the files. Other copies of this package may lack it. */
  warnings?(): readonly string[];
}

// Global symbols, so that the command line, containers and copies of this package share them.
const CONFIGS = Symbol.for('fairlead:configs');
const FAULTS = Symbol.for('fairlead:faults');
const SERVICE = Symbol.for('fairlead:service');

const shared = globalThis as typeof globalThis & {
  [CONFIGS]?: { readonly defined: Set<DefinedConfig>; readonly failed: Map<object, ConfigError> };
};

function configs() {
  shared[CONFIGS] ??= { defined: new Set(), failed: new Map() };
  return shared[CONFIGS];
}

/** Returns what is wrong with the configurations that the application has read from the environment. */
export function failedConfigs(): readonly ConfigError[] {
  return [...configs().failed.values()];
}

/** Prints what may be wrong with the files of all configurations. */
export function warnOfVariables(): void {
  const warnings = [...configs().defined].flatMap((one) => one.warnings?.() ?? []);
  for (const warning of new Set(warnings)) warn('FAIRLEAD_VARIABLE', warning);
}

/**
 * Creates a class from the schemas of environment variables. Its instances have the values, and it is the token of
 * the configuration in containers: `class Config extends defineConfig({ PORT: z.coerce.number() }) {}`.
 *
 * Texts become what the schemas accept in the same way as in queries: numbers, booleans, and lists with commas. An
 * empty variable counts as unset.
 *
 * @param schema - A Standard Schema for each variable, or one of an object with all of them. They are synchronous.
 * @throws {SetupError} `INVALID_OPTION`, when an argument is invalid.
 */
export function defineConfig<const Schema extends ConfigSchema>(
  schema: Schema,
  options: ConfigOptions = {},
): ConfigClass<Schema> {
  const locate = captureCaller(defineConfig);
  throwTogether([
    ...findSchemaProblems(schema),
    ...findOptionProblems('defineConfig()', options, OPTIONS),
  ]);
  const described = describeVariables(schema);
  const names = new Set(described.keys());
  if (names.size === 0) {
    throwTogether([
      'defineConfig() finds no variables in its schema. Pass an object with a schema for each variable, such as { PORT: z.coerce.number() }.',
    ]);
  }
  const { files = ['.env'], showValues = false } = options;
  const definition: Definition = { schema, described, showValues };
  const read = (): Reading => {
    const problems: string[] = [];
    const sources = readSources(files, problems);
    const known = [...configs().defined].map((one) => one.names);
    const reading = readVariables(definition, sources, (name) =>
      known.some((one) => one.has(name)),
    );
    return { ...reading, problems: [...problems, ...reading.problems] };
  };
  const errorOf = ({ problems, failed }: Reading): ConfigError | undefined => {
    if (problems.length === 0) return undefined;
    const [only = '', ...others] = failed;
    const isOne = only !== '' && others.length === 0 && problems.length === 1;
    const place = isOne ? (locateVariables(locate(), [only]).get(only) ?? locate()) : locate();
    return new ConfigError(
      problems,
      formatLocation(() => place),
    );
  };
  const problems = () => [errorOf(read()) ?? []].flat();
  const variables = () => {
    const places = locateVariables(locate(), names);
    return read().variables.map((one) => ({ ...one, location: places.get(one.name) }));
  };
  const warnings = () => read().warnings;
  configs().defined.add({ names, location: locate, variables, problems, warnings });

  class FromEnvironment {
    static readonly inject = [] as const;
    static readonly [SERVICE] = true;

    static [FAULTS](): readonly Error[] {
      return problems();
    }

    static problems(): readonly ConfigError[] {
      return problems();
    }

    static help(): string {
      return formatHelp(definition);
    }

    static variables(): readonly Variable[] {
      return variables();
    }

    // Without a length, so that containers pass nothing.
    constructor(given: Environment | undefined = undefined) {
      if (given !== undefined) {
        const reading = readVariables(definition, [{ file: undefined, values: given }], (name) =>
          names.has(name),
        );
        if (reading.problems.length > 0) throw new ConfigError(reading.problems);
        Object.freeze(Object.assign(this, reading.values));
        return;
      }
      const reading = read();
      const error = errorOf(reading);
      Object.freeze(Object.assign(this, reading.values));
      if (error === undefined) {
        configs().failed.delete(definition);
        return;
      }
      configs().failed.set(definition, error);
      const isFailed = isStandardSchema(schema)
        ? () => true
        : (name: string) => reading.failed.has(name);
      // biome-ignore lint/correctness/noConstructorReturn: reading what failed throws
      return new Proxy(this, refusing(error, isFailed));
    }
  }
  return FromEnvironment as object as ConfigClass<Schema>;
}

/** Makes the values that failed throw when they are read. */
function refusing(error: ConfigError, isFailed: (name: string) => boolean): ProxyHandler<object> {
  const refuse = (trap: (target: object, key: string, receiver: unknown) => unknown): never => {
    // The stack begins with the line that reads the value.
    Error.captureStackTrace(error, trap);
    throw error;
  };
  return {
    get: function get(target, key, receiver): unknown {
      const isValue = typeof key === 'string' && key !== 'then' && !(key in target);
      return isValue && isFailed(key) ? refuse(get) : Reflect.get(target, key, receiver);
    },
    ownKeys: function ownKeys() {
      return refuse(ownKeys);
    },
  };
}

function findSchemaProblems(schema: unknown): string[] {
  if (isStandardSchema(schema)) return [];
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    return [
      `schema of defineConfig() must be an object with a schema for each variable, or a schema: got ${describeValue(schema)}.`,
    ];
  }
  return Object.entries(schema).flatMap(([name, value]) =>
    isStandardSchema(value)
      ? []
      : `defineConfig() cannot use ${describeValue(value)} for ${name}. Use a Standard Schema, such as z.string().`,
  );
}

function formatHelp({ described }: Definition): string {
  const variables = [...described].map(([name, { description, accepts, fallback, required }]) => {
    const lines = [
      ...(description?.split('\n') ?? []),
      ...(accepts === undefined ? [] : [accepts]),
    ];
    const note = fallback === undefined ? required && '(required)' : `(default: ${fallback})`;
    const last = [lines.pop(), note].filter(Boolean).join(' ');
    return [`  ${name}`, ...[...lines, last].filter(Boolean).map((line) => `      ${line}`)].join(
      '\n',
    );
  });
  return `Environment variables (an empty value counts as unset):\n\n${variables.join('\n\n')}\n`;
}
