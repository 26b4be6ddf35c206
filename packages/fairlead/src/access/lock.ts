import { readFile } from 'node:fs/promises';
import type { PathRules } from '@fairlead/core';
import { isPlainObject } from '@fairlead/options';
import { UsageError } from '../errors.js';
import { describeJsonError } from '../project.js';
import type { Chain, Needs, Step } from './chains.js';

/** The file that records who may call which routes. */
export const LOCK_FILE = 'access.lock.json';

const VERSION = 1;

export type LockedStep = Pick<Step, 'kind' | 'name' | 'below' | 'needs'>;

/** What a lock records of a route. */
export interface LockedRoute {
  readonly public?: string;
  /** Guards, and middleware that authenticates requests, sorted. */
  readonly steps: readonly LockedStep[];
}

/** Routes by name, sorted. */
export type Lock = ReadonlyMap<string, LockedRoute>;

/** Reduces chains to what a lock records. Nothing in it depends on the order of registration or on places. */
export function lockOf(chains: readonly Chain[]): Lock {
  const entries = chains.map(({ route, steps, ...chain }) => {
    const deciding = steps
      .filter(({ kind, needs }) => kind === 'guard' || needs.some((way) => way.length > 0))
      .map(
        ({ kind, name, below, needs }): LockedStep => ({
          kind,
          name,
          ...(below !== undefined && { below }),
          needs,
        }),
      )
      .sort(byText);
    // A reason that a package brings is no decision of the application.
    const reason = chain.isBuiltIn ? undefined : chain.public;
    return [route, { ...(reason !== undefined && { public: reason }), steps: deciding }] as const;
  });
  return new Map(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}

function byText(one: LockedStep, other: LockedStep): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}

/** Lists the routes whose reason a package brings, so that a lock leaves them out unless something guards them. */
export function builtInOf(chains: readonly Chain[]): ReadonlySet<string> {
  return new Set(chains.flatMap(({ route, isBuiltIn }) => (isBuiltIn ? route : [])));
}

/** Tells how the paths of routes are compared, by their names. */
export function rulesOf(chains: readonly Chain[]): ReadonlyMap<string, PathRules> {
  return new Map(chains.flatMap(({ route, rules }) => (rules ? [[route, rules]] : [])));
}

/** Writes a lock, with a line for each step. */
export function formatLock(lock: Lock, builtIn: ReadonlySet<string>): string {
  const routes = [...lock].filter(([route, { steps }]) => steps.length > 0 || !builtIn.has(route));
  const lines = routes.map(([route, { steps, ...others }]) => {
    const written = steps.map(({ kind, name, below, needs }) => {
      const isKnown = needs.some((way) => way.length > 0);
      return `        ${JSON.stringify({ [kind]: name, below, ...(isKnown && { needs }) })}`;
    });
    const members = [
      ...(others.public === undefined ? [] : [`      "public": ${JSON.stringify(others.public)}`]),
      ...(written.length === 0 ? [] : [`      "steps": [\n${written.join(',\n')}\n      ]`]),
    ];
    const body = members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n    }`;
    return `    ${JSON.stringify(route)}: ${body}`;
  });
  const body = lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n  }`;
  return `{\n  "version": ${VERSION},\n  "routes": ${body}\n}\n`;
}

/**
 * Reads a lock.
 *
 * @param isRequired - Whether the file has to exist.
 * @returns Undefined if there is no such file.
 * @throws {UsageError} When the file is missing but required, or is not a lock.
 */
export async function readLock(file: string, isRequired: boolean): Promise<Lock | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && !isRequired) return undefined;
    const fix = code === 'ENOENT' ? 'Write it' : 'Remove it, and write it again';
    throw new UsageError(`Cannot read ${file}: ${message}. ${fix} with fairlead access --lock.`);
  }
  return parseLock(file, text);
}

/** @throws {UsageError} When a text is not a lock. */
export function parseLock(file: string, text: string): Lock {
  const refuse = (reason: string) =>
    new UsageError(
      `${file} is not a lock of access: ${reason}. Restore it, or write it again with fairlead access --lock and review the difference.`,
    );
  const json = text.replace(/^\uFEFF/, '');
  let data: unknown;
  try {
    data = JSON.parse(json);
  } catch (error) {
    throw refuse(`it is not JSON: ${describeJsonError(error, json)}`);
  }
  const { version, routes }: { version?: unknown; routes?: unknown } = Object(data);
  if (version !== VERSION) throw refuse(`its version is not ${VERSION}`);
  if (!isPlainObject(routes)) throw refuse('it has no routes');
  return new Map(
    Object.entries(routes).map(([route, value]) => {
      const locked = parseRoute(value);
      if (locked === undefined) throw refuse(`its entry of ${route} is invalid`);
      return [route, locked] as const;
    }),
  );
}

const KINDS = ['middleware', 'guard', 'handler'] as const;

function parseRoute(value: unknown): LockedRoute | undefined {
  if (!isPlainObject(value)) return undefined;
  const { public: reason, steps = [], ...others }: Readonly<Record<string, unknown>> = { ...value };
  const isKnown = Object.keys(others).length === 0 && Array.isArray(steps);
  if (!isKnown || !(reason === undefined || typeof reason === 'string')) return undefined;
  const parsed = steps.map(parseStep);
  const valid = parsed.filter((step) => step !== undefined);
  if (valid.length < parsed.length) return undefined;
  return { ...(reason !== undefined && { public: reason }), steps: valid };
}

function parseStep(value: unknown): LockedStep | undefined {
  const step: Readonly<Record<string, unknown>> = Object(value);
  const kind = KINDS.find((one) => typeof step[one] === 'string');
  const { below, needs = [[]] } = step;
  if (kind === undefined || !isNeeds(needs)) return undefined;
  if (below !== undefined && typeof below !== 'string') return undefined;
  return { kind, name: String(step[kind]), ...(below !== undefined && { below }), needs };
}

function isNeeds(value: unknown): value is Needs {
  const isWay = (way: unknown) =>
    Array.isArray(way) && way.every((name) => typeof name === 'string');
  return Array.isArray(value) && value.length > 0 && value.every(isWay);
}
