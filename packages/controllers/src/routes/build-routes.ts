import type { Context, Handler, Middleware, RouteInput, RouteOptions } from '@fairlead/core';
import {
  describe,
  descriptionOf,
  errorCodes,
  handlerParts,
  joinPaths,
  mayBeEmpty,
  type SentDescription,
  setPathParts,
} from '@fairlead/core/extend';
import {
  type Constructor,
  describeToken,
  container as globalContainer,
  type Injectable,
  isToken,
  type Token,
} from '@fairlead/di';
import { isIntended, markIntended, named, setLocation } from '@fairlead/options';
import { findMistakes } from '../checks/rules.js';
import {
  appliesTo,
  type BuiltRoute,
  type RegisteredController,
  reasonOf,
  rememberRoute,
} from '../definition/built-route.js';
import type { ControllerDefinition, RouteDefinition } from '../definition/definition.js';
import { attempt, published, RouteRegistrationError, throwProblems } from '../errors.js';
import {
  Instances,
  misusedInstance,
  type Requirement,
  requiredTokens,
  wrongInstance,
} from '../instances/instances.js';
import type { Hold } from '../instances/request-scopes.js';
import { createGuarded, createInvoker, intercept, type NamedGuard } from '../invocation/invoker.js';
import { mergeReferences, type RouteValues, setRouteValues } from '../metadata/class-metadata.js';
import { methodIn } from '../metadata/fields.js';
import { isInputSource, isRequired, type ParameterDefinition } from '../metadata/parameter.js';
import {
  CLASS_METHODS,
  findRoleFault,
  GUARD_OVERRIDES,
  type Guard,
  type GuardFn,
  guardName,
  hasMethodOf,
  type InterceptorReference,
  isFunctionOf,
  NO_GUARDS,
  type ReferenceKind,
  type SharedReferences,
} from '../metadata/references.js';
import type { CallHandler, InstanceSource } from '../metadata/runner.js';
import { type BuildRoutesOptions, checkBuildOptions } from '../options.js';
import { chain } from '../promise.js';
import { ControllerRegistry } from './registry.js';

/** Everything that building a route needs besides its definition. */
export interface BuildContext {
  readonly prefix: string;
  readonly shared: SharedReferences;
  readonly instances: Instances;
  /** Returns the function to call instead of a guard function, if any. */
  readonly overrideGuard: (guard: GuardFn) => GuardFn | undefined;
  /** Receives the problems of built routes, one for each guard, middleware, interceptor and call. */
  readonly problems: Map<unknown, Error>;
  readonly warn: (message: string) => void;
}

/**
 * Builds the routes of one controller without registering them.
 *
 * @param target - A class with `@Controller()`, or its definition.
 * @param options - Prefix, container, and what all routes share.
 * @returns Frozen routes with method, path and handlers, in the order of the methods.
 * @throws {ControllerError} 500, like `registerController`, except for collisions.
 */
export function buildRoutes<C extends Constructor>(
  target: Injectable<C> | ControllerDefinition,
  options: BuildRoutesOptions = {},
): readonly BuiltRoute[] {
  throwProblems(checkBuildOptions('buildRoutes()', options));
  const isDefinition = typeof target === 'object' && target !== null && 'routes' in target;
  const isInPath = options.versionIn !== 'request';
  const definition = isDefinition ? target : new ControllerRegistry(isInPath).register(target);
  const context = createBuildContext(options);
  throwProblems(context.instances.check(requiredTokens([definition], context.shared)));
  const { routes } = buildController(definition, context);
  throwProblems([...context.problems.values()]);
  return routes;
}

export function createBuildContext(
  options: BuildRoutesOptions,
  warn = published(options.warn ?? console.warn),
): BuildContext {
  const { prefix = '', guards = NO_GUARDS, middleware = [], interceptors = [] } = options;
  const { container = globalContainer } = options;
  const instances = new Instances(container, warn);
  const shared = { guards, middleware, interceptors };
  const isOverridden = container.has?.(GUARD_OVERRIDES) ?? false;
  const overrideGuard = isOverridden ? container.resolve(GUARD_OVERRIDES) : () => undefined;
  return { prefix, shared, instances, overrideGuard, problems: new Map(), warn };
}

/**
 * Builds the routes of a controller. Resolves shared instances now, not for each request. Adds the problems of
 * instances to the context: a route with a problem cannot be used.
 */
export function buildController(
  definition: ControllerDefinition,
  context: BuildContext,
): RegisteredController {
  // The paths and methods of one decorator share their options, by which tools recognize them.
  const shared = new Map<object, RouteOptions>();
  const routes = definition.routes.map((route) => buildRoute(route, definition, context, shared));
  const { instances, problems } = context;
  const resolved = (guard: unknown): unknown => instances.resolved(guard);
  for (const problem of findMistakes('instances', { definition, resolved })) {
    problems.set(problem, problem);
  }
  return Object.freeze({ ...definition, routes: Object.freeze(routes) });
}

/** Calls a guard, a middleware or an interceptor. A guard receives no `next`. */
type Step = (ctx: Context, next?: unknown) => unknown;

interface RouteSteps {
  readonly middleware: readonly Step[];
  readonly guards: readonly NamedGuard[];
  readonly interceptors: readonly Step[];
  readonly call: CallHandler;
  /** Whether an instance is resolved for each request. */
  readonly isPerRequest: boolean;
}

/** Creates a function for each instance. One whose token is not usable has no effect. */
function createSteps(
  route: RouteDefinition,
  { middleware, guards, interceptors }: SharedReferences,
  { name, controller }: ControllerDefinition,
  { instances, overrideGuard, problems }: BuildContext,
): RouteSteps {
  const sources: InstanceSource[] = [];
  const create = <Run>(
    token: Token,
    purpose: string,
    createRun: (source: InstanceSource, requirement: Requirement) => Run,
  ): Run | (() => undefined) => {
    if (!instances.isUsable(token)) return () => undefined;
    const { value, problems: found } = attempt(() => {
      const requirement = { description: purpose, controller };
      const source = instances.sourceOf(token, requirement);
      sources.push(source);
      return createRun(source, requirement);
    });
    for (const problem of found) if (!problems.has(token)) problems.set(token, problem);
    return value ?? (() => undefined);
  };
  const step = (kind: ReferenceKind, reference: unknown): Step => {
    if (isFunctionOf(kind, reference)) return reference as Step;
    const token = reference as Token;
    const purpose = `the ${kind} ${describeToken(token)} of ${route.handler}`;
    return create(token, purpose, (...source) => createStep(kind, token, ...source));
  };
  return {
    middleware: middleware.map((reference) => step('middleware', reference)),
    guards: guards.map((guard, index) => {
      const override = isFunctionOf('guard', guard) ? overrideGuard(guard as GuardFn) : undefined;
      return { name: guardName(guard, index), check: step('guard', override ?? guard) };
    }),
    interceptors: interceptors.map((reference) => step('interceptor', reference)),
    call: create(controller, `the controller ${name}`, (source) => route.runner.createCall(source)),
    isPerRequest: sources.some(({ perRequest }) => perRequest !== undefined),
  };
}

function buildRoute(
  route: RouteDefinition,
  definition: ControllerDefinition,
  context: BuildContext,
  shared: Map<object, RouteOptions>,
): BuiltRoute {
  const { instances } = context;
  const references = mergeReferences(context.shared, route);
  const created = createSteps(route, references, definition, context);
  const described = describedReferences(references, instances);
  const { version = '', requestVersion, prefix } = definition;
  const options = shared.get(route.options) ?? routeOptions(route, described, requestVersion);
  shared.set(route.options, options);
  setLocation(options, route.locate);
  const segment = requestVersion === undefined ? version : '';
  const own = route.path.slice(joinPaths(segment, prefix).length);
  setPathParts(options, [context.prefix ?? '', segment, prefix, `/${own}`]);
  const applying = described.guards.filter((guard) => appliesTo(route, guard));
  const runs = applying.filter(isObject);
  const late = created.middleware.findIndex((one) => descriptionOf(one)?.afterGuards === true);
  const steps = late === -1 ? created : guardMiddleware(late, created, route.handler, runs);
  const values = route.metadata.size > 0 ? [createValuesStep(route.metadata)] : [];
  const isScoped = steps.isPerRequest && instances.container.createScope !== undefined;
  const scope = isScoped ? [instances.scopes.middleware] : [];
  const hold: Hold = isScoped ? instances.scopes.hold : (run) => run;
  const invoker = createRouteInvoker(route, steps, hold);
  const built: BuiltRoute = Object.freeze({
    ...route,
    ...references,
    path: joinPaths(context.prefix, route.path),
    options,
    handlers: Object.freeze<BuiltRoute['handlers']>([
      ...values,
      ...scope,
      ...steps.middleware.map(hold),
      invoker,
    ]),
  });
  const opening = [...steps.interceptors, route.runner.handler].filter(
    (one) => descriptionOf(one)?.role === 'websocket',
  );
  if (opening.length > 0) describe(invoker, { role: 'websocket' });
  if (opening.length > 1) {
    const problem = new RouteRegistrationError(route.handler, OPENS_TWICE, route.locate());
    context.problems.set(built, problem);
  }
  const sends = describeSent(route, applying, described.interceptors);
  if (sends.length > 0 || runs.length > 0) {
    describe(invoker, { name: route.handler, sends, runs: late === -1 ? runs : [] });
  }
  if (isIntended(definition.controller)) markIntended(invoker);
  const checking = references.guards.filter((_, index) => {
    const guard = described.guards[index];
    return guard !== undefined && appliesTo(route, guard);
  });
  return rememberRoute(built, checking);
}

/** Replaces tokens by what the container has for them, if that has a description: an instance, or its class. */
function describedReferences(
  { guards, middleware, interceptors }: SharedReferences,
  instances: Instances,
): SharedReferences {
  const describedOf = <Reference>(reference: Reference): Reference => {
    if (!isToken(reference) || descriptionOf(reference) !== undefined) return reference;
    const instance = instances.resolved(reference);
    const found = [instance, Object(instance).constructor].find((one) => descriptionOf(one));
    return (found as Reference | undefined) ?? reference;
  };
  return {
    guards: guards.map(describedOf),
    middleware: middleware.map(describedOf),
    interceptors: interceptors.map(describedOf),
  };
}

/** Checks the guards of a route before a middleware instead of after all of them. */
function guardMiddleware(
  late: number,
  steps: RouteSteps,
  handler: string,
  runs: readonly object[],
): RouteSteps {
  const middleware = steps.middleware.map((one, index) => {
    if (index !== late) return one;
    const guarded = named(one.name, createGuarded(steps.guards, handler, one));
    return describe(guarded, { wraps: one, runs });
  });
  return { ...steps, middleware, guards: [] };
}

/** Whether a guard is no name of a service. */
function isObject(guard: Guard): guard is Exclude<Guard, string | symbol> {
  return Object(guard) === guard;
}

const OPENS_TWICE = {
  problem: 'two of its interceptors open the WebSocket connection.',
  fix: 'keep one of them. With @UseInterceptor(websocketUpgrade()), that of a method replaces that of its class.',
};

function routeOptions(
  route: RouteDefinition,
  { guards, middleware }: SharedReferences,
  version: string | undefined,
): RouteOptions {
  const { options, status, parameters } = route;
  const reason = options.public ?? reasonOf(route);
  const inputs = parameters.flatMap((parameter) => {
    const { source } = parameter;
    return isInputSource(source) ? describeInput(source, parameter) : [];
  });
  const applying = guards.filter((guard) => appliesTo(route, guard));
  const security = [...middleware, ...applying].flatMap(
    (one) => descriptionOf(one)?.security ?? [],
  );
  // A limit does not decide who may call a route.
  const deciding = applying.filter((guard) => descriptionOf(guard)?.limit === undefined);
  const isSecured = deciding.length > 0 || security.length > 0;
  const codes = new Map<number, readonly string[]>([[401, []], [403, []], ...errorCodes(options)]);
  const hasCodes = [...codes.values()].some(({ length }) => length > 0);
  const errors = hasCodes ? Object.fromEntries(codes) : [...codes.keys()];
  return Object.freeze({
    ...options,
    ...(status !== undefined && { status }),
    ...(version !== undefined && { version }),
    ...(reason !== undefined && { public: reason }),
    ...(inputs.length > 0 && { inputs }),
    ...(isSecured && { security, errors }),
  });
}

/** Lists what the guards, the interceptors and the decorators of a route add to its responses, for tools. */
function describeSent(
  { headers, redirect, status = 200 }: RouteDefinition,
  applying: readonly Guard[],
  interceptors: readonly InterceptorReference[],
): readonly SentDescription[] {
  const sends = [...applying, ...interceptors].flatMap((one) => descriptionOf(one)?.sends ?? []);
  if (headers.length > 0) {
    const examples = headers.map(({ name, value }) => [name, { example: value }] as const);
    sends.push({ headers: Object.fromEntries(examples) });
  }
  if (redirect !== undefined) {
    const { statusCode = status >= 300 && status < 400 ? status : 302 } = redirect;
    sends.push({ responses: { [statusCode]: { headers: { Location: 'Where to go.' } } } });
  }
  return sends;
}

/** Describes a parameter for tools. Reads its schema only if a tool needs to know whether it is required. */
function describeInput(source: RouteInput['source'], parameter: ParameterDefinition): RouteInput {
  const { name, schema, all } = parameter;
  return {
    source,
    name,
    schema,
    all,
    get required() {
      return isRequired(parameter) ?? parameter.required;
    },
  };
}

function createValuesStep(values: RouteValues): Middleware {
  const step: Middleware = (ctx, next) => {
    setRouteValues(ctx, values);
    return next();
  };
  return describe(step, { role: 'middleware' });
}

const EXPECTED: Readonly<Record<ReferenceKind, string>> = {
  guard: 'a function',
  middleware: 'a function (ctx, next)',
  interceptor: 'a function (ctx, next)',
};

function createStep(
  kind: ReferenceKind,
  token: Token,
  source: InstanceSource,
  requirement: Requirement,
): Step {
  const method = CLASS_METHODS[kind];
  const asStep = (instance: unknown): Step => {
    if (hasMethodOf(kind, instance)) return (...values) => instance[method](...values);
    const fault = findRoleFault(kind, instance);
    if (fault !== undefined) throw misusedInstance(requirement, instance, fault);
    if (isFunctionOf(kind, instance)) return instance as Step;
    const expected = `${EXPECTED[kind]} or an object with ${method}()`;
    throw wrongInstance(expected, requirement, instance);
  };
  const known = 'instance' in source ? asStep(source.instance) : undefined;
  const { perRequest } = source;
  const ofRequest: Step = (ctx, ...next) =>
    chain(perRequest?.(ctx), (instance) => asStep(instance)(ctx, ...next));
  const step = perRequest === undefined && known !== undefined ? known : ofRequest;
  if (step === source.instance) return step;
  // Some errors contain the name, such as the one for a second `next()` call.
  named(describeToken(token), step);
  const { instance } = source;
  const ofInstance = hasMethodOf(kind, instance) ? instance[method] : known;
  const run = known === undefined ? methodIn(Object(token).prototype, method) : ofInstance;
  // Without the source of the function that it calls, checks cannot tell what the step does.
  if (isIntended(token) || run === undefined) markIntended(step);
  const { security } = descriptionOf(token) ?? {};
  if (typeof run === 'function')
    return describe(step, { wraps: run, ...(security && { security }) });
  return security ? describe(step, { security }) : step;
}

function createRouteInvoker(
  route: RouteDefinition,
  { call, guards, interceptors }: RouteSteps,
  hold: Hold,
): Handler {
  // Asks the schemas at the first empty result, not at each.
  let isOptional: boolean | undefined;
  const { invoke, convert } = createInvoker({
    ...route,
    guards,
    read: route.runner.createRead(route),
    call: intercept(hold(call), interceptors.map(hold)),
    mayBeEmpty: () => {
      isOptional ??= mayBeEmpty(route.options);
      return isOptional;
    },
  });
  const run: Handler = hold(invoke);
  const handler: Handler = (ctx, next) => chain(run(ctx, next), (result) => convert(ctx, result));
  handlerParts.set(handler, { run, convert });
  return named(route.handler, handler);
}
