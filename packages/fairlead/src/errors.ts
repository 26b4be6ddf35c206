/** A mistake in the command line. The message explains how to fix it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A module of the application cannot be loaded. The message explains how to fix it. */
export class LoadError extends Error {
  override readonly name = 'LoadError';
  readonly code = 'LOAD_FAILED';
}
