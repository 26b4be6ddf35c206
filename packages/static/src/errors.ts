import { HttpError, SetupError } from '@fairlead/core';

/** The directory given to `serveStatic` cannot be read. Thrown while the application is put together. */
export class StaticRootError extends SetupError {
  /** @param root - The directory as it was given. */
  constructor(root: string) {
    super(
      'INVALID_STATIC_ROOT',
      `serveStatic() takes a directory, and '${root}' is none. Relative paths start at the working directory, ${process.cwd()}.`,
    );
  }
}

/** What `send` emits in place of a response. */
export interface SendError extends Error {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const MESSAGES: Readonly<Record<number, string>> = {
  400: 'The path is malformed: it must be percent-encoded UTF-8 without NUL.',
  403: 'Files and directories whose names begin with a dot are not served.',
  412: 'The file is not in the state that If-Match or If-Unmodified-Since asks for.',
  416: 'The range lies outside of the file.',
};

/**
 * Makes an error that `errorHandler` answers. What the file system says goes to the log only.
 *
 * @param error - An error of `send`, or of the file system.
 * @param path - What was to be read.
 */
export function toHttpError(error: Error | SendError, path: string): HttpError {
  const { status, headers = {} } = 'status' in error ? error : { status: 500 };
  const message = MESSAGES[status];
  if (message !== undefined) return new HttpError(status, message, { headers, cause: error });
  return new HttpError(500, `Cannot read ${path}: ${error.message}`, { cause: error });
}
