import { SetupError } from '@fairlead/core';
import { hideProperties, locatorOf, numberMessages } from '@fairlead/options';

/** Several problems prevent the document. The message numbers them. */
export class DocumentError extends SetupError {
  /** All problems, in the order of the message. */
  readonly problems: readonly Error[];

  /** @param problems - At least two. */
  constructor(problems: readonly Error[]) {
    const messages = problems.map(({ message }) => message);
    const title = `Cannot create the OpenAPI document: ${problems.length} problems.`;
    super('DOCUMENT_FAILED', numberMessages(title, messages));
    this.problems = Object.freeze([...problems]);
    hideProperties(this, 'problems');
  }
}

/**
 * Throws a single problem as is, and several in one error.
 *
 * @throws {SetupError} Unless `problems` is empty.
 */
export function throwProblems(problems: readonly Error[]): void {
  const [first, second] = problems;
  if (second !== undefined) throw new DocumentError(problems);
  if (first !== undefined) throw first;
}

/**
 * @param place - The part of a route that the schema describes, such as `the body of POST /users`.
 * @param fix - What to write in place of what cannot be expressed, as an imperative.
 */
export function inexpressibleSchema(
  place: string,
  reason: string,
  fix = 'use a schema that JSON Schema can express',
): SetupError {
  return new SetupError(
    'INEXPRESSIBLE_SCHEMA',
    `Cannot describe ${place}: ${reason}\n  Fix: ${fix}, or pass unrepresentable: 'any' to describe it as {}.`,
  );
}

export function duplicateOperationId(id: string, first: string, second: string): SetupError {
  return new SetupError(
    'DUPLICATE_OPERATION_ID',
    `${first} and ${second} have the operationId '${id}'. Give one of them another operationId.`,
  );
}

/**
 * Describes what a document leaves out, for a warning.
 *
 * @param omitted - Such as `QUERY /search`.
 */
export function describeOmitted(omitted: readonly string[]): string {
  return `The OpenAPI 3.1 document leaves out what only OpenAPI 3.2 can describe: ${omitted.join(', ')}. Pass version: '3.2', or version: '3.1' to leave it out without this warning.`;
}

export function ambiguousPaths(first: string, second: string): SetupError {
  return new SetupError(
    'AMBIGUOUS_PATHS',
    `Cannot describe ${first} and ${second}: they have the same path in OpenAPI. Pass hidden: true to one of them.`,
  );
}

/** @param reason - Ends with a period, unless it is the message of another error. */
export function failedTransform(reason: string, options?: ErrorOptions): SetupError {
  return new SetupError(
    'TRANSFORM_FAILED',
    `Cannot transform the OpenAPI document: ${reason}\n  Fix: correct the option transform. It receives the document, and returns a document or nothing.`,
    options,
  );
}

/** The route or webhook that needs a scheme. */
export interface SecurityPlace {
  readonly label: string;
  /** What has a location: the options of the route. */
  readonly options?: object;
}

/** @param scheme - That of the first place, as JSON. */
export function conflictingSecurity(
  name: string,
  scheme: string,
  first: SecurityPlace,
  other: SecurityPlace,
): SetupError {
  const [one, another] = [first, other].map(({ label, options }) => {
    const location = options && locatorOf(options)?.();
    return location === undefined ? label : `${label} (${location})`;
  });
  return new SetupError(
    'CONFLICTING_SECURITY',
    `The security scheme '${name}' of ${another} differs from that of ${one}. Rename one of them, or declare the same scheme in both: ${scheme}.`,
  );
}
