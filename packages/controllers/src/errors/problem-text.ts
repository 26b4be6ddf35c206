import { isAbsolute, relative } from 'node:path';

/** What is wrong with something, and what to do about it. */
export interface Flaw {
  /** A sentence. */
  readonly problem: string;
  /** A sentence that begins in lower case. */
  readonly fix: string;
  /** What was thrown below. */
  readonly cause?: unknown;
}

/** What a person needs to put an end to a problem. */
export interface ProblemText {
  /** What is wrong, as a sentence. */
  readonly title: string;
  /** Where in the source, as {@link describePlace} writes it; undefined where that is not known. */
  readonly place?: string | undefined;
  /** What to do about it, as a sentence that begins in lower case. */
  readonly fix: string;
}

/**
 * Writes a problem in the form of the container's errors: a sentence, then a line for each of the
 * other things that are known.
 */
export function problemText({ title, place, fix }: ProblemText): string {
  return `${placed(title, place)}\n  Fix: ${fix}`;
}

/** Puts a place below the first line of a text. */
export function placed(text: string, place: string | undefined): string {
  return place === undefined ? text : text.replace(/\n|$/, (end) => `\n  At: ${place}${end}`);
}

/**
 * Writes a place in the source for people.
 *
 * @param file - Absolute path; shown relative to the working directory when it is below it.
 * @param position - Line, or line and column: `12:3`.
 */
export function describePlace(file: string, position?: string): string {
  const path = relative(process.cwd(), file);
  const shown = path.startsWith('..') || isAbsolute(path) ? file : path;
  return position === undefined ? shown : `${shown}:${position}`;
}
