import { BadRequestError, ForbiddenError, HttpError, SetupError } from '@fairlead/core';
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

/** Creates the error for a path that cannot be decoded. */
export function malformedPath(cause?: unknown): BadRequestError {
  const message = 'The path is malformed. Send percent-encoded UTF-8 without NUL.';
  return new BadRequestError(message, { cause });
}

/** Creates the error for a dotfile. */
export function deniedDotfile(): ForbiddenError {
  return new ForbiddenError(
    'Files and directories with names that start with a dot are not served.',
  );
}

/**
 * Creates the error for a file that exists but cannot be read. Only the log contains its cause.
 *
 * @param path - The path for the log.
 * @param cause - The error of the file system.
 */
export function unreadable(path: string, cause: unknown): HttpError {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') {
    return new ForbiddenError('The server is not permitted to read this file.', {
      cause,
      report: true,
    });
  }
  const fix = 'Check the file and its permissions.';
  return new HttpError(500, `Cannot read ${path}: ${message}. ${fix}`, { cause });
}
