/** What is known about the registrations of an application that is not sealed yet. */
export interface Registrations {
  /** The prefixes at which the router is mounted, also within other routers. */
  readonly prefixes: readonly string[];
  /**
   * The problems that are certain to make the start fail, in order of registration. Middleware that no route is
   * registered after becomes one when the application is sealed.
   */
  readonly problems: readonly Error[];
  /**
   * Whether the application, or an `errorHandler()` for all of its paths, has an option `format` that cannot pass on the
   * problem of RFC 9457.
   */
  readonly replacesProblems: boolean;
  /** Middleware that responds to paths without a route, such as static files. */
  readonly responders: readonly {
    readonly prefix: string;
    /** The middleware that runs before it for all of its paths, in order, and the responder itself. */
    readonly functions: readonly object[];
  }[];
}

/** A global symbol, so that a plugin which uses another copy of core reports all problems. */
export const REGISTRATIONS: unique symbol = Symbol.for('@fairlead/core:registrations');
