import { HttpError } from '@fairlead/core';
import { describeFile } from '@fairlead/options';

/** Options of a {@link ControllerError}. */
export interface ControllerErrorOptions {
  /** Stable upper-snake identifier; `CONTROLLER_ERROR` by default. */
  readonly code?: string;
  /** Status from 400 to 599; 500 by default. */
  readonly status?: number;
  /** Whether `errorHandler` passes the error to `onError`; true by default from status 500. */
  readonly report?: boolean;
  /** Members added to the error body if clients may see the error. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** The underlying error. */
  readonly cause?: unknown;
}

/** The base class of this package's errors; 500 unless a subclass sets another status. */
export class ControllerError extends HttpError {
  /**
   * @param message - What failed, where, and how to fix it.
   * @param options - Status, code, report, details and cause.
   */
  constructor(message: string, options: ControllerErrorOptions = {}) {
    const { code = 'CONTROLLER_ERROR', status = 500, ...others } = options;
    super(status, message, { code, ...others });
  }
}

/** What is wrong with a route or a file, and how to fix it. */
export interface Diagnostic {
  /** A sentence. */
  readonly problem: string;
  /** An imperative sentence that begins in lower case; absent if the problem states the fix. */
  readonly fix?: string;
  /** The underlying error. */
  readonly cause?: unknown;
}

/** The parts of an error message. */
export interface ErrorText {
  /** What failed, as a sentence. */
  readonly title: string;
  /** Where in the source, as {@link describeLocation} returns it; undefined if unknown. */
  readonly location?: string | undefined;
  /** An imperative sentence that begins in lower case; undefined if the title states the fix. */
  readonly fix?: string | undefined;
}

/** Formats a message like the container's errors: a sentence, then lines for location and fix. */
export function errorText({ title, location, fix }: ErrorText): string {
  const text = addLocation(title, location);
  return fix === undefined ? text : `${text}\n  Fix: ${fix}`;
}

/** Inserts a location below the first line of a message. */
export function addLocation(text: string, location: string | undefined): string {
  return location === undefined ? text : text.replace(/\n|$/, (end) => `\n  At: ${location}${end}`);
}

/**
 * Formats a location in the source, as `src/users.ts:12:1`.
 *
 * @param file - Absolute path; shown relative to the working directory if it is below it.
 * @param position - Line, or line and column: `12:1`.
 */
export function describeLocation(file: string, position?: string): string {
  const shown = describeFile(file);
  return position === undefined ? shown : `${shown}:${position}`;
}

/** Joins names for a message. Of more than three, it shows two: `a, b and 8 more`. */
export function listNames(names: readonly string[]): string {
  const shown = names.length > 3 ? [...names.slice(0, 2), `${names.length - 2} more`] : names;
  const last = shown.at(-1) ?? '';
  return shown.length < 2 ? last : `${shown.slice(0, -1).join(', ')} and ${last}`;
}

/** The `code` of an error from Node.js or a container; undefined if it has none. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
