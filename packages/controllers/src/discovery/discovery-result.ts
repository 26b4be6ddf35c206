import type { Constructor } from '@fairlead/di';
import type { DiscoveryError } from '../errors/discovery-error.js';

/** What discovery found in one file. */
export interface DiscoveryResult {
  /** Absolute path of the file. */
  readonly file: string;
  /** Classes with `@Controller()` that the file exports, each once. */
  readonly controllers: readonly Constructor[];
  /** Why the file could not be looked into; absent when it could. */
  readonly error?: DiscoveryError;
}

/**
 * The controllers of all results, each once, in the order of their files.
 *
 * @param results - What `discoverControllers` returned.
 */
export function getControllersFromResults(results: readonly DiscoveryResult[]): Constructor[] {
  return [...new Set(results.flatMap(({ controllers }) => controllers))];
}

/**
 * The errors of all results, in the order of their files.
 *
 * @param results - What `discoverControllers` returned.
 */
export function getErrorsFromResults(results: readonly DiscoveryResult[]): DiscoveryError[] {
  return results.flatMap(({ error }) => error ?? []);
}
