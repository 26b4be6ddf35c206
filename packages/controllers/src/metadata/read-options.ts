import {
  findOptionProblems,
  type Kinds,
  kind,
  oneOf,
  routeDocumentation,
  routeResponse,
  routeStatus,
} from '@fairlead/options';
import { type Diagnostic, refuse } from '../errors.js';
import type { RouteDecoratorOptions } from './class-metadata.js';
import type { Fault } from './mistakes.js';

/** The option `version` of controllers. */
export const VERSION = kind("one segment of a path, such as 'v2'", isSegment);

function isSegment(value: unknown): boolean {
  return typeof value === 'string' && /^\/?[^/\s]+\/?$/.test(value);
}

/** The options of routes that decorators and values have in common. */
export const ROUTE_OPTIONS: Kinds<RouteDecoratorOptions> = {
  status: routeStatus,
  invalidParams: oneOf(404),
  ...routeDocumentation,
  response: routeResponse,
};

/** Checks the options of a call. There are none if there are faults. */
export function readOptions<Options extends object>(
  call: string,
  value: unknown,
  kinds: Partial<Kinds<Options>>,
): { readonly options: Partial<Options>; readonly faults: readonly Fault[] } {
  const given = value as Partial<Options> | undefined;
  const faults = findOptionProblems(call, given, kinds as Kinds<Partial<Options>>);
  const options = faults.length === 0 ? (given ?? {}) : {};
  return { options, faults: faults.map((problem) => ({ problem })) };
}

/** Reads the path of a route, or an array of paths. There are none if one is wrong. */
export function readPaths(
  call: string,
  given: unknown,
  fix = "pass a string, such as '/:id', or an array of strings, and options after it.",
): { readonly paths: readonly string[]; readonly faults: Diagnostic[] } {
  const paths = [given].flat();
  if (paths.length === 0)
    return { paths: [], faults: [refuse(call, given, 'path', 'pass at least one path.')] };
  const wrong = paths.filter((path) => typeof path !== 'string');
  if (wrong.length === 0) return { paths: paths as string[], faults: [] };
  return { paths: [], faults: wrong.map((path) => refuse(call, path, 'path', fix)) };
}
