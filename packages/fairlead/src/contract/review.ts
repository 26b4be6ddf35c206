import type { Application } from '@fairlead/core';
import type { Openapi } from '../application.js';
import { Document, DocumentError } from '../client/index.js';
import type { Source } from '../document-source.js';
import { LoadError, UsageError } from '../errors.js';
import type { Change } from './changes.js';
import { compareDocuments } from './compare.js';
import { countChanges } from './report.js';
import type { Severity } from './schemas/findings.js';

/** The file that a project commits, unless it names another one. */
export const DOCUMENT_FILE = 'openapi.json';

/** What has changed since a document that clients know. */
export interface Review {
  /** Where that document is, for messages. */
  readonly against: string;
  readonly changes: readonly Change[];
  /** Whether a change is severe enough to fail. */
  readonly isWrong: boolean;
}

/**
 * Returns a document of an application.
 *
 * @param path - That of one of several documents; the first one by default.
 * @throws {UsageError} When the application has no document at the path.
 * @throws {SetupError} `NO_DOCUMENT`, when it has none.
 */
export function documentOf(openapi: Openapi, app: Application, path: string | undefined): Source {
  try {
    const root = { ...openapi.createDocument(app, path) };
    return { root, origin: 'the document of the application' };
  } catch (error) {
    return refuseDocument(error, path);
  }
}

/** @throws {UsageError} When an error is that of a path without a document, or else the error. */
export function refuseDocument(error: unknown, path: string | undefined): never {
  if (path !== undefined && isMissing(error)) throw new UsageError(error.message);
  throw error;
}

/** Whether an error is that of an application without a document. */
export function isMissing(error: unknown): error is Error {
  return Object(error).code === 'NO_DOCUMENT';
}

/**
 * Compares a document with one that clients know.
 *
 * @param failing - The severities of changes that fail.
 * @throws {LoadError} When one of them is not a document.
 */
export function reviewDocument(
  published: Source,
  present: Source,
  failing: readonly Severity[],
): Review {
  const changes = compare(published, present);
  const isWrong = changes.some(({ severity }) => failing.includes(severity));
  return { against: published.origin, changes, isWrong };
}

/** @throws {LoadError} When one of them is not a document. */
function compare(before: Source, after: Source): readonly Change[] {
  try {
    const old = new Document(before.root, before.origin);
    const now = new Document(after.root, after.origin);
    const changes = compareDocuments(old, now, new Date().toISOString().slice(0, 10));
    old.throwProblems();
    now.throwProblems();
    return changes;
  } catch (error) {
    if (error instanceof DocumentError) throw new LoadError(error.message, { cause: error });
    throw error;
  }
}

/** Describes how many changes there are, in a sentence without its end. */
export function describeReview({ against, changes }: Review): string {
  return `${countChanges(changes)} since ${against}`;
}
