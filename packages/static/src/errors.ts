import { HttpError, SetupError } from '@fairlead/core';
import { describeValue } from '@fairlead/options';

/** The root of `serveStatic` is not a directory. Thrown while the application is set up. */
export class StaticRootError extends SetupError {
  /** @param root - The root that was passed. */
  constructor(root: unknown) {
    const isPath = typeof root === 'string' || root instanceof URL;
    const shown = isPath ? `'${root}'` : describeValue(root);
    super(
      'INVALID_STATIC_ROOT',
      `The root of serveStatic() must be a directory: ${shown} is not one. Pass an existing directory, either absolute or relative to ${process.cwd()}.`,
    );
  }
}

/** An error emitted by `send`. */
export interface SendError extends Error {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const MESSAGES: Readonly<Record<number, string>> = {
  400: 'The path is malformed. Send percent-encoded UTF-8 without NUL.',
  403: 'Files and directories with names that start with a dot are not served.',
  412: 'The file does not match If-Match or If-Unmodified-Since. Fetch its current version first.',
  416: 'The range is outside the file. Request a range within the length in Content-Range.',
};

/**
 * Converts an error for `errorHandler`. Only the log contains the message of a file system error.
 *
 * @param error - An error from `send` or from the file system.
 * @param path - The path that could not be read.
 */
export function toHttpError(error: Error | SendError, path: string): HttpError {
  const { status, headers = {} } = 'status' in error ? error : { status: 500 };
  const message = MESSAGES[status];
  if (message !== undefined) return new HttpError(status, message, { headers, cause: error });
  return new HttpError(
    500,
    `Cannot read ${path}: ${error.message}. Check the file and its permissions.`,
    {
      cause: error,
    },
  );
}
