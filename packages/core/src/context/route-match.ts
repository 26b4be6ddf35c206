/** The routes that a context's request could have met. */
export interface RouteTable {
  /**
   * Methods of the routes that match a path.
   *
   * @param path - In normal form; `*` stands for all routes.
   */
  methods(path: string): ReadonlySet<string>;
}

/** A route, as far as a context knows it. */
export interface MatchedRoute {
  /** Full pattern, with its prefixes. */
  readonly pattern: string;
  /** Names of its parameters, in the order of the path. */
  readonly names: readonly string[];
  /** Whether the last name is that of a wildcard. */
  readonly endsInWildcard: boolean;
}

/** The route that a router has found for a request. */
export interface RouteMatch {
  readonly value: MatchedRoute;
  /** Texts of its parameters, still encoded. */
  readonly rawParams: readonly string[];
}
