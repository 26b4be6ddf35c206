import { intended } from '@fairlead/core';
import type { MistakenRequest } from '../mistake.js';

/** An unusual program that Fairlead must accept. */
export interface LegalProgram {
  /** What is unusual about the program. Unique. */
  readonly title: string;
  /** Part of the only warning that the start prints. Without it, the start prints nothing. */
  readonly warning?: string | RegExp;
  /**
   * Creates the application, and anything else that the program needs.
   *
   * @param isSilenced - Whether the program silences its warning, as the documents describe.
   */
  readonly start: (isSilenced: boolean) => unknown;
  readonly request: MistakenRequest;
  /** The status, and the text of the body unless only the status matters. */
  readonly expected: string;
}

/** All legal programs. */
export const programs: LegalProgram[] = [];

/** Adds a program that starts without a warning. */
export function legal(
  title: string,
  expected: string,
  start: () => unknown,
  request: MistakenRequest = '/',
): void {
  programs.push({ title, expected, start, request });
}

/** Adds a program that may be a mistake: its start prints a warning, which it can silence. */
export function warned(
  title: string,
  warning: string | RegExp,
  expected: string,
  start: (isSilenced: boolean) => unknown,
  request: MistakenRequest = '/',
): void {
  programs.push({ title, warning, expected, start, request });
}

/** Marks the value that a warning names, as the documents describe. */
export function silence<Target extends object>(isSilenced: boolean, target: Target): Target {
  return isSilenced ? intended(target) : target;
}
