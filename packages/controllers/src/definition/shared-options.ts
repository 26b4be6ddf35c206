import type { ContainerInterface } from '@fairlead/di';
import { fn, type Kinds, kind, oneOf, string } from '@fairlead/options';
import { type ControllerError, errorText } from '../errors/controller-error.js';
import { findOptionErrors, optionError } from '../errors/option-errors.js';
import type { ValidationStatus } from '../errors/request-errors.js';
import { findReferenceProblems, type SharedReferences } from '../metadata/references.js';

/** The options that `controllersPlugin`, `registerController` and `buildRoutes` have in common. */
export interface SharedOptions extends Partial<SharedReferences> {
  readonly prefix?: string;
  readonly container?: ContainerInterface;
  readonly compileResponse?: (schema: object) => unknown;
  readonly validationStatus?: ValidationStatus;
}

const list = kind('an array of functions, classes and tokens', Array.isArray);

/** What the shared options accept. */
export const SHARED_OPTIONS: Kinds<SharedOptions> = {
  prefix: string,
  guards: list,
  middleware: list,
  interceptors: list,
  container: kind('an object with a method resolve, such as createContainer()', isContainer),
  compileResponse: fn,
  validationStatus: oneOf(400, 422),
};

function isContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null && fn.accepts(Reflect.get(value, 'resolve'));
}

/** A router of core, or of another copy of it. An application has no rules. */
export const ROUTER = kind(
  "the result of createRouter(), and mount it: app.route('/', router)",
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    fn.accepts(Reflect.get(value, 'on')) &&
    typeof Reflect.get(value, 'rules') === 'object',
);

/**
 * Finds everything that is wrong with the options of a call that builds routes.
 *
 * @param call - As `buildRoutes()`.
 * @param options - What the caller passed.
 * @param kinds - Every option of the call.
 * @returns One error per problem, also those of single guards, middleware and interceptors.
 */
export function findSharedErrors<Options extends SharedOptions>(
  call: string,
  options: Options | undefined,
  kinds: Kinds<Options>,
): ControllerError[] {
  if (isContainer(options)) {
    return [optionError(`${call} cannot use a container as options. Pass { container }.`)];
  }
  const errors = findOptionErrors(call, options, kinds);
  const { guards, middleware, interceptors } = options ?? {};
  const references = [
    ...findReferenceProblems(call, 'guard', guards, (index) => `guards[${index}]`),
    ...findReferenceProblems(call, 'middleware', middleware, (index) => `middleware[${index}]`),
    ...findReferenceProblems(call, 'interceptor', interceptors, (at) => `interceptors[${at}]`),
  ];
  return [
    ...errors,
    ...references.map(({ problem, fix }) => optionError(errorText({ title: problem, fix }))),
  ];
}
