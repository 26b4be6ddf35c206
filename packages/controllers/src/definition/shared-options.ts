import { Router } from '@fairlead/core';
import type { ContainerInterface } from '@fairlead/di';
import {
  findOptionProblems,
  fn,
  installOneCopy,
  type Kinds,
  kind,
  string,
} from '@fairlead/options';
import { type ControllerError, errorText } from '../errors/controller-error.js';
import { optionError } from '../errors/option-errors.js';
import { findReferenceProblems, type SharedReferences } from '../metadata/references.js';

/** The options that `controllersPlugin`, `registerController` and `buildRoutes` have in common. */
export interface SharedOptions extends Partial<SharedReferences> {
  readonly prefix?: string;
  readonly container?: ContainerInterface;
}

const list = kind('an array of functions, classes and tokens', Array.isArray);

/** What the shared options accept. */
export const SHARED_OPTIONS: Kinds<SharedOptions> = {
  prefix: string,
  guards: list,
  middleware: list,
  interceptors: list,
  container: kind(
    'an object with a resolve() method, such as the result of createContainer()',
    isContainer,
  ),
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
 * Explains that a router belongs to another copy of core, whose requests this package cannot read.
 *
 * @param call - The call that received the router, for the message.
 */
export function findForeignRouter(call: string, router: unknown): ControllerError | undefined {
  if (router instanceof Router || !ROUTER.accepts(router)) return undefined;
  const title = `${call} cannot use the router: it belongs to a different copy of @fairlead/core than the one that @fairlead/controllers uses.`;
  return optionError(errorText({ title, fix: installOneCopy('@fairlead/core') }));
}

/** Options of `createApp()` for the schemas of all routes. */
const OF_APPLICATIONS: readonly string[] = [
  'compileResponse',
  'checkResponses',
  'responses',
  'validationStatus',
];

/** Explains where an option belongs, if a problem is that it is unknown. */
function explainUnknown(call: string, problem: string): string {
  const unknown = (name: string) => `${call} has no option '${name}'.`;
  const name = OF_APPLICATIONS.find((one) => problem.startsWith(unknown(one)));
  return name === undefined ? problem : `${unknown(name)} Pass it to createApp().`;
}

/**
 * Finds everything that is wrong with the options of a call that builds routes.
 *
 * @param call - The call, such as `buildRoutes()`.
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
  const errors = findOptionProblems(call, options, kinds).map((problem) =>
    optionError(explainUnknown(call, problem)),
  );
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
