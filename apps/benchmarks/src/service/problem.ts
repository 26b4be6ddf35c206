import { STATUS_CODES } from 'node:http';

/** An issue of a rejected request. */
export interface Issue {
  readonly source: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** An error with the response that clients get. */
export class HttpProblem extends Error {
  readonly statusCode: number;
  readonly code: string;
  readonly issues: readonly Issue[] | undefined;

  constructor(statusCode: number, code: string, message: string, issues?: readonly Issue[]) {
    super(message);
    this.statusCode = statusCode;
    this.code = code;
    this.issues = issues;
  }
}

export const userNotFound = (id: string) =>
  new HttpProblem(404, 'NOT_FOUND', `User ${id} not found`);

export const routeNotFound = (path: string) =>
  new HttpProblem(404, 'NOT_FOUND', `No route matches ${path}.`);

export const preconditionFailed = () =>
  new HttpProblem(412, 'PRECONDITION_FAILED', 'The user has changed. Get it again.');

export const PROBLEM_TYPE = 'application/problem+json';

/** Describes an error for clients (RFC 9457). The details of a server error stay hidden. */
export function describeProblem(
  { statusCode, code, message, issues }: HttpProblem,
  path: string,
): Record<string, unknown> {
  const title = STATUS_CODES[statusCode];
  const detail = statusCode < 500 ? message : title;
  const instance = path.split('?')[0];
  const problem = { type: 'about:blank', title, status: statusCode, detail, instance, code };
  return { ...problem, error: detail, ...(issues && { issues }) };
}
