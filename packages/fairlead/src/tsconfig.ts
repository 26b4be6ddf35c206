import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { describeFile, escapeLine, isPlainObject } from '@fairlead/options';
import { parseTsconfig } from 'get-tsconfig';
import { UsageError } from './errors.js';
import { parseJson, readText } from './project.js';

type CompilerOptions = NonNullable<ReturnType<typeof parseTsconfig>['compilerOptions']>;

/** The compiler options of the project. */
export interface Tsconfig {
  /** Absolute; undefined if the project has no tsconfig.json. */
  readonly path: string | undefined;
  /** Also those that it extends. */
  readonly options: CompilerOptions;
}

/**
 * Reads the nearest tsconfig.json, from the working directory upwards.
 *
 * @throws {UsageError} When it, or what it extends, cannot be read.
 */
export function readTsconfig(): Tsconfig {
  const path = findTsconfig(process.cwd());
  if (path === undefined) return { path, options: {} };
  const files = new Map<string, string>();
  // parseTsconfig() accepts a file that the compiler refuses.
  checkSyntax(path, files);
  try {
    return { path, options: parseTsconfig(path).compilerOptions ?? {} };
  } catch (error) {
    throw new UsageError(describeFailure(path, files, error));
  }
}

function findTsconfig(folder: string): string | undefined {
  const path = join(folder, 'tsconfig.json');
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return path;
  return dirname(folder) === folder ? undefined : findTsconfig(dirname(folder));
}

/** Checks a file, and those that it extends. Adds their texts by path. */
function checkSyntax(path: string, files: Map<string, string>): void {
  if (files.has(path)) return;
  const name = describeFile(path);
  const text = readText(path);
  files.set(path, text);
  const { compilerOptions = {}, extends: bases = [] } = parseJson(name, withoutComments(text));
  if (!isPlainObject(compilerOptions)) {
    throw new UsageError(`Cannot read ${name}: compilerOptions is not an object. Correct it.`);
  }
  for (const base of [bases].flat()) {
    if (typeof base !== 'string') {
      throw new UsageError(`Cannot read ${name}: extends is not a path. Correct it.`);
    }
    const target = resolveBase(base, path);
    if (target !== undefined) checkSyntax(target, files);
  }
}

const TOKENS = /"(?:\\.|[^"\\\n])*"?|\/\/.*|\/\*[\s\S]*?(?:\*\/|$)/g;
const COMMAS = /"(?:\\.|[^"\\\n])*"?|,(?=\s*[}\]])/g;

/** Replaces comments and trailing commas with spaces, so that places stay what they are. */
function withoutComments(text: string): string {
  const blank = (token: string) =>
    token.startsWith('"') ? token : token.replaceAll(/[^\n]/g, ' ');
  return text.replaceAll(TOKENS, blank).replaceAll(COMMAS, blank);
}

const isRelative = (base: string) => /^\.{1,2}(?:[\\/]|$)/.test(base) || isAbsolute(base);

/** Returns the file that a file extends; undefined if it is not there. */
function resolveBase(base: string, from: string): string | undefined {
  const names = [base, `${base}.json`, `${base}/tsconfig.json`];
  const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  if (isRelative(base)) return names.map((name) => resolve(dirname(from), name)).find(isFile);
  const { resolve: find } = createRequire(from);
  for (const name of names) {
    try {
      const found = find(name);
      if (found.endsWith('.json')) return found;
    } catch {
      // parseTsconfig() reports a package that has none of the files.
    }
  }
  return undefined;
}

/** Explains why parseTsconfig() fails, with the line that extends what is missing. */
function describeFailure(path: string, files: ReadonlyMap<string, string>, error: unknown): string {
  const message = escapeLine(error instanceof Error ? error.message : String(error));
  const [, base] = /^File '(.+)' not found\.$/.exec(message) ?? [];
  if (base === undefined) {
    const [, again] = /^Circularity detected [^:]*: (.+)$/.exec(message) ?? [];
    const reason =
      again === undefined
        ? message.replace(/\.$/, '')
        : `${describeFile(again)} extends itself, directly or through other files`;
    return `Cannot read ${describeFile(path)}: ${reason}. Correct extends.`;
  }
  const quoted = JSON.stringify(base);
  const [file, text = ''] = [...files].find(([, one]) => one.includes(quoted)) ?? [path];
  const line = text.slice(0, Math.max(0, text.indexOf(quoted))).split('\n').length;
  const [, name] = /^((?:@[^/]+\/)?[^/]+)/.exec(base) ?? [];
  return `Cannot read ${describeFile(file)}:${line}: it extends '${base}', which does not exist. ${
    isRelative(base)
      ? 'Correct the path.'
      : `Run npm install --save-dev ${name}, or correct the name.`
  }`;
}
