import { isPlainObject, kind } from '@fairlead/options';
import { BadRequestError, HttpError } from '../errors/http-error.js';
import type { Exchange } from '../exchange/exchange.js';
import { appendHeader } from '../response/headers.js';
import type { PathRules, Pattern } from './pattern.js';
import { type Match, Tree } from './tree.js';

/** Where requests name the version of a route: in a header of their own, or in `Accept`. */
export type VersionSource = (
  | {
      /** The name of the header, such as `X-Api-Version`. */
      readonly header: string;
      readonly parameter?: undefined;
    }
  | {
      /** The parameter of media types: `version` for `Accept: application/json;version=2`. */
      readonly parameter: string;
      readonly header?: undefined;
    }
) & {
  /** The version of requests that name none. By default, they get an error. */
  readonly default?: string;
};

/** Accepts the version of a route. */
export const routeVersion = kind(
  "letters, digits, dots, hyphens and underscores, such as '2' or '2026-01-31'",
  (value) => typeof value === 'string' && /^[\w.-]+$/.test(value),
);

/** Accepts a {@link VersionSource}. */
export const versionSource = kind(
  "{ header } or { parameter }, and the default, such as { header: 'X-Api-Version', default: '1' }",
  (value) => {
    if (!isPlainObject(value)) return false;
    const { default: fallback, ...names }: { readonly [name: string]: unknown } = { ...value };
    const [[name = '', token] = [], ...others] = Object.entries(names);
    if (!/^(?:header|parameter)$/.test(name) || others.length > 0 || token === 'q') return false;
    return (
      /^[\w!#$%&'*+.^`|~-]+$/.test(String(token)) &&
      (fallback === undefined || routeVersion.accepts(fallback))
    );
  },
);

/** Whether two routes with the same method and pattern handle some of the same requests. */
export function sharesVersion(one: string | undefined, other: string | undefined): boolean {
  return one === undefined || other === undefined || one === other;
}

/**
 * Returns the versions that a request asks for, the preferred one first.
 *
 * @see RFC 9110 §12.5.1
 */
function requestedVersions(
  { header, parameter, default: fallback }: VersionSource,
  { req }: Exchange,
): readonly string[] {
  const found: (readonly [version: string | undefined, quality: number])[] = [];
  if (header !== undefined) {
    const value = req.headers[header.toLowerCase()];
    found.push([String(value ?? '').trim() || fallback, 1]);
  } else {
    for (const range of (req.headers.accept || '*/*').split(',')) {
      const parameters = new Map(
        range.split(';').map((part) => {
          const [name = '', value = ''] = part.split('=');
          return [name.trim().toLowerCase(), value.trim().replaceAll('"', '')];
        }),
      );
      const quality = Number(parameters.get('q') ?? 1);
      if (quality > 0) found.push([parameters.get(parameter.toLowerCase()) ?? fallback, quality]);
    }
    found.sort(([, one], [, other]) => other - one);
  }
  return found.flatMap(([version]) => version ?? []);
}

/** What a router needs to find a route by its version. */
interface Versioned {
  /** Undefined for a route of every version. */
  readonly version: string | undefined;
}

/** The routes of a router, of which some have a version. */
export class VersionedRoutes<T extends Versioned> {
  readonly #source: VersionSource;
  /** The routes of all versions. */
  readonly #all: Tree<T>;
  /** The routes without a version. */
  readonly #plain: Tree<T>;
  /** The routes of each version, and those without one. */
  readonly #byVersion = new Map<string, Tree<T>>();

  /** @param all - A tree with the routes, of which some with the same pattern replace others. */
  constructor(
    source: VersionSource,
    rules: PathRules,
    all: Tree<T>,
    routes: readonly (readonly [method: string, pattern: Pattern, value: T])[],
  ) {
    this.#source = source;
    this.#all = all;
    this.#plain = new Tree(rules);
    for (const [, , { version }] of routes)
      if (version !== undefined) this.#byVersion.set(version, new Tree(rules));
    for (const [version, tree] of [[undefined, this.#plain] as const, ...this.#byVersion])
      for (const [method, pattern, value] of routes)
        if (value.version === undefined || value.version === version)
          tree.insert(method, pattern, value);
  }

  /** Finds the route of a request to a path that has routes with versions. */
  find(exchange: Exchange, method = exchange.method): Match<T> | undefined {
    return this.#choose(exchange, (tree) => tree.find(method, exchange.target.path));
  }

  /** Returns the methods of the routes of a request's version. Those of all versions for OPTIONS without one. */
  methods(path: string, exchange: Exchange): ReadonlySet<string> {
    const all = this.#all.methods(path);
    const isVersioned = (method: string) =>
      this.#all.find(method, path, true)?.value.version !== undefined;
    if (path === '*' || ![...all].some(isVersioned)) return all;
    const found = this.#choose(exchange, (tree) => {
      const methods = tree.methods(path);
      return methods.size > 0 ? methods : undefined;
    });
    const namesNone = requestedVersions(this.#source, exchange).length === 0;
    return found ?? (exchange.method === 'OPTIONS' && namesNone ? all : new Set());
  }

  /** Returns the versions of the routes that match a path. */
  versions(path: string): readonly string[] {
    return [...this.#byVersion].flatMap(([version, tree]) =>
      tree.methods(path).size > this.#plain.methods(path).size ? version : [],
    );
  }

  /** Chooses from the routes of the versions that a request asks for, or else from those without one. */
  #choose<Result>(
    exchange: Exchange,
    choose: (tree: Tree<T>) => Result | undefined,
  ): Result | undefined {
    appendHeader(exchange, 'Vary', this.#source.header ?? 'Accept');
    for (const version of requestedVersions(this.#source, exchange)) {
      const tree = this.#byVersion.get(version);
      const chosen = tree && choose(tree);
      if (chosen !== undefined) return chosen;
    }
    return choose(this.#plain);
  }
}

/**
 * Creates the error for a request without a version that the path has.
 *
 * @param versions - Those that it has.
 * @see RFC 9110 §15.5.1, §15.5.7
 */
export function unsupportedVersion(
  source: VersionSource,
  exchange: Exchange,
  versions: readonly string[],
): HttpError {
  const { header, parameter } = source;
  const [requested] = requestedVersions(source, exchange);
  const { path } = exchange.target;
  const known = [...new Set(versions)].sort();
  const problem =
    requested === undefined
      ? `The request to ${path} names no version.`
      : `${path} has no version ${requested}.`;
  const example =
    header === undefined ? `Accept, as in 'Accept: */*;${parameter}=${known[0]}'` : header;
  const message = `${problem} Send one of ${known.join(', ')} in ${example}.`;
  const options = { code: 'UNSUPPORTED_VERSION', details: { versions: known } };
  return header === undefined
    ? new HttpError(406, message, options)
    : new BadRequestError(message, options);
}
