/** The routes that a context's request could have met. */
export interface RouteTable {
  /** Methods of the routes that match a path; of all routes for `*`. */
  methods(path: string): ReadonlySet<string>;
}

/** What the router tells a context of the route that matched. */
export interface RouteMatch {
  /** The route's full pattern, with its prefixes. */
  readonly pattern: string;
  /** Decoded parameters by name. */
  params(): Readonly<Record<string, string>>;
}
