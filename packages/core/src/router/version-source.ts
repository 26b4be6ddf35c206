import type { IncomingHttpHeaders } from 'node:http';
import { hasMethods, type Kind } from '@fairlead/options';
import type { HttpErrorOptions } from '../errors/http-error.js';
import type { Pattern } from './pattern.js';
import type { Match, Tree } from './tree.js';

/** Where requests name the version of a route: the result of `createVersions()` of `@fairlead/core/versions`. */
export interface VersionSource {
  /** The name of the header with the version; undefined if `Accept` has it. */
  readonly header?: string | undefined;
  /** The parameter of media types in `Accept` with the version; undefined if a header has it. */
  readonly parameter?: string | undefined;
  /** The version of requests that name none. */
  readonly default?: string;
  /** @internal */
  readonly problems: readonly string[];
  /** @internal Returns the versions that a request asks for, the preferred one first. */
  requested(headers: IncomingHttpHeaders): readonly string[];
  /** @internal */
  index<T extends Versioned>(
    createTree: () => Tree<T>,
    all: Tree<T>,
    routes: readonly (readonly [method: string, pattern: Pattern, value: T])[],
  ): VersionedRoutes<T>;
  /** @internal Returns the arguments of the error for a path without the requested version. */
  refuse(
    path: string,
    requested: string | undefined,
    known: readonly string[],
  ): { readonly status: number; readonly message: string; readonly options: HttpErrorOptions };
  /** @internal Returns a warning if no route has the default. */
  doubt(known: ReadonlySet<string>): string | undefined;
}

/** What a router needs to find a route by its version. */
export interface Versioned {
  /** Undefined for a route of every version. */
  readonly version: string | undefined;
}

/** The routes of a router, of which some have a version. */
export interface VersionedRoutes<T extends Versioned> {
  /** Finds the route of a requested version, or else one without a version. */
  find(method: string, path: string, requested: readonly string[]): Match<T> | undefined;
  /** Whether a route that matches a path has a version. */
  isVersioned(path: string): boolean;
  /** Returns the methods of the requested version; those of all versions for OPTIONS without one. */
  methods(path: string, requested: readonly string[], isOptions: boolean): ReadonlySet<string>;
  /** Returns the versions of the routes that match a path. */
  versions(path: string): readonly string[];
}

const isSource = hasMethods('requested', 'index', 'refuse', 'doubt');

const problemsOf = (value: unknown): readonly string[] =>
  isSource(value) ? (value as VersionSource).problems : [];

/** Accepts a {@link VersionSource}. */
export const versionSource: Kind = Object.freeze({
  accepts: (value: unknown) => isSource(value) && problemsOf(value).length === 0,
  description:
    "the result of createVersions(), such as createVersions({ header: 'X-Api-Version' })",
  explain: problemsOf,
});

/** Whether two routes with the same method and pattern handle some of the same requests. */
export function sharesVersion(one: string | undefined, other: string | undefined): boolean {
  return one === undefined || other === undefined || one === other;
}
