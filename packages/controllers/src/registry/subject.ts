import type { Constructor } from '@fairlead/di';
import { ControllerResolutionError } from '../errors/controller-resolution-error.js';
import { placeOf } from '../metadata/place.js';

/** What the container is asked for, for people. */
export interface Subject {
  /** As `the guard AdminGuard of UsersController.create`. */
  readonly text: string;
  /** The controller for which it is needed; undefined when it is for all. */
  readonly controller?: Constructor | undefined;
}

/**
 * Makes the error for something that the container does not supply.
 *
 * @param cause - What the container threw or reported.
 */
export function resolutionError(subject: Subject, cause: unknown): ControllerResolutionError {
  return new ControllerResolutionError(subject.text, cause, placeOf(subject.controller));
}

/**
 * Makes the error for an instance that cannot be used as what it was asked for.
 *
 * @param expected - What it should have been, without an article.
 * @param instance - What the container supplied.
 */
export function wrongInstance(
  expected: string,
  subject: Subject,
  instance: unknown,
): ControllerResolutionError {
  return resolutionError(
    subject,
    `the container supplies ${describe(instance)}, which is no ${expected}.\n  Fix: register one.`,
  );
}

function describe(value: unknown): string {
  if (typeof value === 'function') return `the function ${value.name}`;
  if (typeof value !== 'object' || value === null) return String(value);
  return `an object of ${value.constructor?.name ?? 'no class'}`;
}
