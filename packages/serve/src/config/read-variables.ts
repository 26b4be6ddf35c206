import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { isStandardSchema, type StandardSchema } from '@fairlead/core';
import { createTextReader, isPromiseLike } from '@fairlead/core/extend';
import { describeValue, nearestName } from '@fairlead/options';
import type { SchemaDescription } from './describe-schema.js';
import { repeats, standInFor } from './hidden-values.js';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What {@link readVariables} reads, and how. */
export interface Definition {
  /** A schema for each variable, or one of an object with all of them. */
  readonly schema: StandardSchema | Readonly<Record<string, StandardSchema>>;
  readonly described: ReadonlyMap<string, SchemaDescription>;
  /** Whether messages may repeat values. */
  readonly showValues: boolean;
}

/** Where variables are. */
interface Source {
  /** The file; undefined for the environment. */
  readonly file: string | undefined;
  readonly values: Environment;
}

/** What is known about one variable, without its value. */
export interface Variable extends SchemaDescription {
  /** The name of the environment variable. */
  readonly name: string;
  /** `unset` is optional, and has no default. */
  readonly state: 'set' | 'default' | 'unset' | 'missing' | 'invalid';
  /** The file that sets it; undefined if the environment does, or nothing. */
  readonly file: string | undefined;
  /** The line that defines it, such as `src/config.ts:5:3`; undefined if that is not known. */
  readonly location?: string | undefined;
}

/** The values that were read, and what is wrong. */
export interface Reading {
  readonly values: Readonly<Record<string, unknown>>;
  /** One line for each problem. */
  readonly problems: readonly string[];
  /** The names of variables without a value, because they are missing or invalid. */
  readonly failed: ReadonlySet<string>;
  readonly variables: readonly Variable[];
  /** One line for each variable of a file that is probably misspelled. */
  readonly warnings: readonly string[];
}

/** What a schema says about values. */
interface Outcome {
  readonly value?: unknown;
  readonly issues: readonly Issue[];
}

interface Issue {
  /** The variable; undefined if the schema does not tell. */
  readonly name: string | undefined;
  readonly message: string;
}

/**
 * Returns the environment and the variables of files, which do not change the environment.
 *
 * @param files - Paths, relative to the working directory. Ignores files that do not exist. Later ones win.
 * @param problems - Receives a line for each file that cannot be read, and for each line that sets no variable.
 */
export function readSources(files: readonly string[], problems: string[]): readonly Source[] {
  const sources = files.toReversed().flatMap((file): readonly Source[] => {
    try {
      const text = readFileSync(file, 'utf8');
      problems.push(...findLineProblems(text).map((problem) => `${file}:${problem}`));
      return [{ file, values: parseEnv(text) }];
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT') problems.push(`The file ${file} cannot be read (${code}).`);
      return [];
    }
  });
  return [{ file: undefined, values: process.env }, ...sources];
}

/** Matches the name of a variable and the sign after it, at the start of a line. */
const ASSIGNMENT = /^[ \t]*(?:export[ \t]+)?[^\s='"`#][^\s=]*[ \t]*=[ \t]*/;

/** Lists the lines of a file that set no variable, with their numbers, and without their text, which may be a secret. */
function findLineProblems(text: string): readonly string[] {
  const problems: string[] = [];
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n?|\n/);
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    if (/^\s*(?:#|$)/.test(line)) continue;
    const [start] = ASSIGNMENT.exec(line) ?? [];
    if (start === undefined) {
      problems.push(`${index + 1} sets no variable. Write it as NAME=value, or start it with #.`);
      continue;
    }
    const [quote] = /^["'`]/.exec(line.slice(start.length)) ?? [];
    if (quote === undefined || line.indexOf(quote, start.length + 1) >= 0) continue;
    const end = lines.findIndex((one, place) => place > index && one.includes(quote));
    if (end < 0) problems.push(`${index + 1} has a ${quote} that no other one closes. Add it.`);
    else index = end;
  }
  return problems;
}

/**
 * Reads variables. The first source that has one wins. An empty variable counts as unset.
 *
 * @param isKnown - Whether anything reads a variable, so that its name is not misspelled.
 */
export function readVariables(
  definition: Definition,
  sources: readonly Source[],
  isKnown: (name: string) => boolean,
): Reading {
  const { schema, described } = definition;
  const origins = new Map<string, Source>();
  const texts: Record<string, string> = Object.create(null);
  for (const name of described.keys()) {
    const source = sources.find(({ values }) => values[name] !== undefined);
    const text = source?.values[name];
    if (source === undefined || text === undefined || text === '') continue;
    origins.set(name, source);
    texts[name] = text;
  }
  const validate = isStandardSchema(schema)
    ? (from: Environment) => validateAll(schema, from)
    : (from: Environment) => validateEach(schema, from);
  const { value, issues } = validate(texts);
  const values = Object(value) as Record<string, unknown>;
  const lines = issues.map((issue) => {
    const { name } = issue;
    const file = name === undefined ? undefined : origins.get(name)?.file;
    if (name !== undefined && texts[name] === undefined && isMissing(issue, described.get(name)))
      return describeMissing(name, issue.message, described.get(name), sources, isKnown);
    const subject = name ?? 'The configuration';
    const { accepts } = described.get(name ?? '') ?? {};
    const isOwn = accepts === undefined || !LIBRARY.test(issue.message);
    const shown = definition.showValues ? issue.message : hideValues(issue, accepts);
    const message = isOwn ? shown : `must be ${accepts}.`;
    return sentence(file === undefined ? subject : `${subject} in ${file}`, message);
  });
  const failed = new Set(issues.flatMap(({ name }) => name ?? []));
  const variables = [...described].map(([name, description]): Variable => {
    const isSet = origins.has(name);
    const hasDefault = description.fallback !== undefined || values[name] !== undefined;
    const unset = hasDefault ? 'default' : 'unset';
    const state = failed.has(name) ? (isSet ? 'invalid' : 'missing') : isSet ? 'set' : unset;
    return { name, state, file: origins.get(name)?.file, ...description };
  });
  const warnings = findMisspelled(variables, sources, isKnown);
  return { values, problems: [...new Set(lines)], failed, variables, warnings };

  /** Replaces a message that repeats values, which may be secrets. */
  function hideValues({ name, message }: Issue, accepts: string | undefined): string {
    const repeated = Object.entries(texts).filter(([, text]) => repeats(message, text));
    if (repeated.length === 0) return message;
    const others = repeated.map(([one, text]) => [one, standInFor(text)] as const);
    // What the schema says of other values, too, tells none of them.
    if (others.every(([, other]) => other !== undefined)) {
      const outcome = validate({ ...texts, ...Object.fromEntries(others) });
      if (outcome.issues.some((one) => one.name === name && one.message === message))
        return message;
    }
    const problem = accepts === undefined ? 'is invalid.' : `must be ${accepts}.`;
    return `${problem} The message of its schema repeats the value, so it is not shown.`;
  }
}

/** The most by which the length of a misspelled name differs. */
const EDITS = 2;

/** Lists variables of files that nothing reads, and whose names are like one that is not set but optional. */
function findMisspelled(
  variables: readonly Variable[],
  sources: readonly Source[],
  isKnown: (name: string) => boolean,
): readonly string[] {
  const unset = variables.filter(({ state }) => state === 'default' || state === 'unset');
  const names = unset.map(({ name }) => name);
  return sources.flatMap(({ file, values }) =>
    // The environment has variables of other programs.
    Object.keys(file === undefined ? {} : values).flatMap((name) => {
      const similar = isKnown(name) ? undefined : nearestName(name, names);
      if (similar === undefined || Math.abs(similar.length - name.length) > EDITS) return [];
      return `${file} sets ${name}, which defineConfig() does not read: did you mean ${similar}? If another program reads it, move it to another file.`;
    }),
  );
}

/** Joins a subject and a message, which is a sentence or continues one: `must be a number`. */
function sentence(subject: string, message: string): string {
  return /^\p{Ll}/u.test(message) ? `${subject} ${message}` : `${subject}: ${message}`;
}

/** How zod and valibot begin their own messages, which say less than what a variable has to be. */
const LIBRARY = /^(?:invalid (?:input|option|type)|too (?:big|small)): ?expected\b/i;

/** What libraries say of a value that is absent. */
const ABSENT = /\b(?:received undefined|was (?:undefined|missing))\b|^required$|^invalid option\b/i;

/** Whether an issue of an unset variable is that it is absent, rather than what follows from several variables. */
function isMissing({ message }: Issue, description: SchemaDescription | undefined): boolean {
  return description?.required === true || ABSENT.test(message);
}

function describeMissing(
  name: string,
  message: string,
  description: SchemaDescription | undefined,
  sources: readonly Source[],
  isKnown: (name: string) => boolean,
): string {
  const others = sources.flatMap(({ file, values }) =>
    Object.keys(values)
      .filter((other) => values[other] && !isKnown(other))
      .map((other) => ({ other, file })),
  );
  const similar = nearestName(
    name,
    others.map(({ other }) => other),
  );
  const found = others.find(({ other }) => other === similar);
  if (found !== undefined) {
    const place = found.file ?? 'the environment';
    return `${name} is missing. Did you mean ${found.other}, which ${place} has?`;
  }
  const { accepts } = description ?? {};
  const fix = accepts === undefined ? 'Set it.' : `Set it to ${accepts}.`;
  return sentence(`${name} is missing.`, ABSENT.test(message) ? fix : message).replace('.:', '.');
}

function validateEach(
  schemas: Readonly<Record<string, StandardSchema>>,
  texts: Environment,
): Outcome {
  const value: Record<string, unknown> = {};
  const issues: Issue[] = [];
  for (const [name, schema] of Object.entries(schemas)) {
    const read = createTextReader({ source: 'param', name }, schema);
    const outcome = validateOne(schema, read(asParams(texts)));
    for (const { message } of outcome.issues) issues.push({ name, message });
    if (outcome.issues.length === 0 && outcome.value !== undefined) value[name] = outcome.value;
  }
  return { value, issues };
}

function validateAll(schema: StandardSchema, texts: Environment): Outcome {
  return validateOne(schema, createTextReader({ source: 'param' }, schema)(asParams(texts)));
}

/** Environment variables are texts as path parameters are: a name has one, and lists have commas. */
function asParams(texts: Environment): Parameters<ReturnType<typeof createTextReader>>[0] {
  return {
    params: texts as Record<string, string>,
    query: {},
    searchParams: new URLSearchParams(),
  };
}

function validateOne(schema: StandardSchema, value: unknown): Outcome {
  const fail = (message: string): Outcome => ({ issues: [{ name: undefined, message }] });
  let result: ReturnType<StandardSchema['~standard']['validate']>;
  try {
    result = schema['~standard'].validate(value);
  } catch (error) {
    // The message of the error may contain the value.
    return fail(`has a schema that threw ${describeValue(error)}. Make it return issues.`);
  }
  if (isPromiseLike(result)) {
    Promise.resolve(result).catch(() => undefined);
    // zod validates again asynchronously after a function of the schema has thrown.
    return fail(
      'has a schema that is asynchronous or throws. Use one that returns issues at once.',
    );
  }
  const { issues } = result;
  if (issues === undefined) return { value: result.value, issues: [] };
  return {
    issues: issues.map(({ message, path = [] }) => {
      const [first] = path;
      const key = typeof first === 'object' ? first.key : first;
      return { name: key === undefined ? undefined : String(key), message };
    }),
  };
}
