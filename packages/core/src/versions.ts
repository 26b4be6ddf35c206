import type { IncomingHttpHeaders } from 'node:http';
import type { Pattern } from './router/pattern.js';
import type { Match, Tree } from './router/tree.js';
import type { Versioned, VersionedRoutes, VersionSource } from './router/version-source.js';

// Imports only types, so that applications without versions load none of it.

export type { VersionSource } from './router/version-source.js';

/** Options of {@link createVersions}: `header` or `parameter`. */
export type VersionOptions = (
  | {
      /** The name of the header with the version, such as `X-Api-Version`. */
      readonly header: string;
      readonly parameter?: undefined;
    }
  | {
      /** The parameter of media types with the version: `version` for `Accept: application/json;version=2`. */
      readonly parameter: string;
      readonly header?: undefined;
    }
) & {
  /** The version of requests that name none. By default, they get an error. */
  readonly default?: string;
};

/**
 * Creates the option `versions` of `createApp()`: where requests name the version of a route. Routes with the option
 * `version` may then have the same pattern.
 *
 * A path that has no such version responds with 400, or with 406 if `Accept` names it. `createApp()` reports options
 * that it cannot use.
 *
 * @see RFC 9110 §12.5.1, §15.5.1, §15.5.7
 */
export function createVersions(options: VersionOptions): VersionSource {
  return Object.freeze({
    ...options,
    problems: Object.freeze(findProblems(options)),
    requested: (headers: IncomingHttpHeaders) => requestedVersions(options, headers),
    index: <T extends Versioned>(...values: ConstructorParameters<typeof Index<T>>) =>
      new Index(...values),
    refuse: (path: string, requested: string | undefined, known: readonly string[]) =>
      refuse(options, path, requested, known),
    doubt: (known: ReadonlySet<string>) => doubt(options, known),
  });
}

/** As in `isToken()`: this module loads no other. */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

function findProblems(options: unknown): readonly string[] {
  const given: { readonly [name: string]: unknown } = { ...Object(options) };
  const { header, parameter, default: fallback, ...others } = given;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    return [`'${unknown}' as an option of createVersions(). Use header, parameter and default.`];
  if ((header === undefined) === (parameter === undefined))
    return ["createVersions() without one of header and parameter. Pass header: 'X-Api-Version'."];
  const name = header ?? parameter;
  if (typeof name !== 'string' || !TOKEN.test(name) || (name === 'q' && header === undefined))
    return [
      `${JSON.stringify(name)} as a name in createVersions(). Use one such as header: 'X-Api-Version'.`,
    ];
  if (fallback === undefined || (typeof fallback === 'string' && /^[\w.-]+$/.test(fallback)))
    return [];
  return [`${JSON.stringify(fallback)} as default of createVersions(). Use a version such as '1'.`];
}

/** Returns the versions that a request asks for, the preferred one first. */
function requestedVersions(
  { header, parameter, default: fallback }: VersionOptions,
  headers: IncomingHttpHeaders,
): readonly string[] {
  if (header !== undefined) {
    const version = String(headers[header.toLowerCase()] ?? '').trim() || fallback;
    return version === undefined ? [] : [version];
  }
  const ranges = (headers.accept || '*/*').split(',').map((range) => {
    const parameters = new Map(
      range.split(';').map((part) => {
        const [name = '', value = ''] = part.split('=');
        return [name.trim().toLowerCase(), value.trim().replaceAll('"', '')];
      }),
    );
    const version = parameters.get(parameter.toLowerCase()) ?? fallback;
    return { version, quality: Number(parameters.get('q') ?? 1) };
  });
  const accepted = ranges.filter(({ quality }) => quality > 0);
  return accepted
    .sort((one, other) => other.quality - one.quality)
    .flatMap(({ version }) => version ?? []);
}

/** The routes of a router by version. */
class Index<T extends Versioned> implements VersionedRoutes<T> {
  readonly #all: Tree<T>;
  /** The routes without a version. */
  readonly #plain: Tree<T>;
  /** The routes of each version, and those without one. */
  readonly #byVersion = new Map<string, Tree<T>>();

  /** @param all - A tree with the routes, of which some with the same pattern replace others. */
  constructor(
    createTree: () => Tree<T>,
    all: Tree<T>,
    routes: readonly (readonly [method: string, pattern: Pattern, value: T])[],
  ) {
    this.#all = all;
    this.#plain = createTree();
    for (const [, , { version }] of routes)
      if (version !== undefined) this.#byVersion.set(version, createTree());
    for (const [version, tree] of [[undefined, this.#plain] as const, ...this.#byVersion])
      for (const [method, pattern, value] of routes)
        if (value.version === undefined || value.version === version)
          tree.insert(method, pattern, value);
  }

  find(method: string, path: string, requested: readonly string[]): Match<T> | undefined {
    return this.#choose(requested, (tree) => tree.find(method, path));
  }

  isVersioned(path: string): boolean {
    const isVersioned = (method: string) =>
      this.#all.find(method, path, true)?.value.version !== undefined;
    return path !== '*' && [...this.#all.methods(path)].some(isVersioned);
  }

  methods(path: string, requested: readonly string[], isOptions: boolean): ReadonlySet<string> {
    const found = this.#choose(requested, (tree) => {
      const methods = tree.methods(path);
      return methods.size > 0 ? methods : undefined;
    });
    return found ?? (isOptions && requested.length === 0 ? this.#all.methods(path) : new Set());
  }

  versions(path: string): readonly string[] {
    return [...this.#byVersion].flatMap(([version, tree]) =>
      tree.methods(path).size > this.#plain.methods(path).size ? version : [],
    );
  }

  /** Chooses from the routes of the requested versions, or else from those without one. */
  #choose<Result>(
    requested: readonly string[],
    choose: (tree: Tree<T>) => Result | undefined,
  ): Result | undefined {
    for (const version of requested) {
      const tree = this.#byVersion.get(version);
      const chosen = tree && choose(tree);
      if (chosen !== undefined) return chosen;
    }
    return choose(this.#plain);
  }
}

function refuse(
  { header, parameter }: VersionOptions,
  path: string,
  requested: string | undefined,
  known: readonly string[],
) {
  const versions = [...new Set(known)].sort();
  const problem =
    requested === undefined
      ? `The request to ${path} names no version.`
      : `${path} has no version ${requested}.`;
  const place = header ?? `Accept, as in 'Accept: */*;${parameter}=${versions[0]}'`;
  return {
    status: header === undefined ? 406 : 400,
    message: `${problem} Send one of ${versions.join(', ')} in ${place}.`,
    options: { code: 'UNSUPPORTED_VERSION', details: { versions } },
  };
}

function doubt(
  { default: fallback }: VersionOptions,
  known: ReadonlySet<string>,
): string | undefined {
  if (fallback === undefined || known.size === 0 || known.has(fallback)) return undefined;
  const others = [...known].map((one) => `'${one}'`).join(' or ');
  return `The default of createVersions() is '${fallback}', a version that no route has. Use ${others}, or pass the result of createVersions() to intended().`;
}
