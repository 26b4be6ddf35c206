import {
  ConflictError,
  type ErrorFormatter,
  ForbiddenError,
  NotFoundError,
  UnauthorizedError,
  ValidationError,
} from '@fairlead/core';
import { TakenError } from './store/database.ts';

export const notFound = (resource: string) =>
  new NotFoundError('not found', { details: { resource } });

export const forbidden = (resource: string) =>
  new ForbiddenError('forbidden', { details: { resource } });

export const unauthorized = (resource: string, message: string) =>
  new UnauthorizedError(message, {
    details: { resource },
    headers: { 'WWW-Authenticate': 'Token' },
  });

/** Turns the error of a unique column into a response. */
export function refuseTaken(error: unknown): never {
  if (!(error instanceof TakenError)) throw error;
  throw new ConflictError('has already been taken', { details: { resource: error.column } });
}

/** Formats every error as RealWorld does: `{ "errors": { "title": ["can't be blank"] } }`. */
export const formatError: ErrorFormatter = ({ detail, resource = 'request' }, error) => {
  if (!(error instanceof ValidationError)) return { errors: { [String(resource)]: [detail] } };
  const errors: Record<string, string[]> = Object.create(null);
  for (const { source, path, message } of error.issues) {
    // The path of a member is ['body', 'user', 'email'].
    const name = String(path[2] ?? path[1] ?? source);
    errors[name] = [...(errors[name] ?? []), message];
  }
  return { errors };
};
