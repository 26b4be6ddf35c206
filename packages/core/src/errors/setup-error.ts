/** What keeps an application from being put together or started; never thrown for a request. */
export class SetupError extends Error {
  /** Stable upper-snake identifier. */
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** Two equivalent patterns were registered for one method. */
export class RouteConflictError extends SetupError {
  /** The method that both patterns share. */
  readonly method: string;
  /** The pattern that was there first. */
  readonly existing: string;
  /** The pattern that collides with it. */
  readonly added: string;

  /**
   * @param method - The method that both share.
   * @param existing - Pattern that was there first.
   * @param added - Pattern that collides with it.
   */
  constructor(method: string, existing: string, added: string) {
    super(
      'ROUTE_CONFLICT',
      `${method} ${added} matches the same paths as ${method} ${existing}, which is registered already. Remove one of the two or change its path.`,
    );
    this.method = method;
    this.existing = existing;
    this.added = added;
  }
}

/** A route pattern or mount prefix cannot be read. */
export class InvalidPatternError extends SetupError {
  /**
   * @param pattern - The pattern as it was written.
   * @param reason - What is wrong with it and what to write instead.
   */
  constructor(pattern: string, reason: string) {
    super('INVALID_PATTERN', `The pattern '${pattern}' is not valid: ${reason}`);
  }
}

/** Something that is not a function was given as middleware or handler. */
export class InvalidMiddlewareError extends SetupError {
  /**
   * @param place - The call that was made, such as `app.use()`.
   * @param value - What was given in place of a function.
   */
  constructor(place: string, value: unknown) {
    const given = value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value;
    super('INVALID_MIDDLEWARE', `${place} takes functions (ctx, next), and was given ${given}.`);
  }
}

/** Something was registered after the application began to answer requests. */
export class SealedError extends SetupError {
  /** @param place - The call that came too late, such as `app.use()`. */
  constructor(place: string) {
    super(
      'APPLICATION_SEALED',
      `${place} was called after the application began to answer requests. Register middleware, routes and plugins before listen(), fetch() and request().`,
    );
  }
}
