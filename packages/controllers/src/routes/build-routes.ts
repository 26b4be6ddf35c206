import {
  type Context,
  type Handler,
  type Middleware,
  type Next,
  type RouteInput,
  type RouteOptions,
} from '@fairlead/core';
import { acceptsAbsence, describe, descriptionOf, mayBeEmpty } from '@fairlead/core/extend';
import {
  type Constructor,
  describeToken,
  container as globalContainer,
  type InjectionToken,
  type Token,
} from '@fairlead/di';
import { isIntended, markIntended } from '@fairlead/options';
import { ControllerRegistry } from '../definition/check-definition.js';
import {
  type ControllerDefinition,
  joinPath,
  type RouteDefinition,
} from '../definition/definition.js';
import { attempt, throwProblems } from '../errors.js';
import {
  type InstanceSource,
  Instances,
  type Requirement,
  requiredTokens,
  wrongInstance,
} from '../instances/instances.js';
import type { Hold } from '../instances/request-scopes.js';
import {
  type CallMethod,
  createInvoker,
  guardName,
  intercept,
  type NamedGuard,
} from '../invocation/invoker.js';
import { mergeReferences, type RouteValues, setRouteValues } from '../metadata/class-metadata.js';
import { isInputSource, type ParameterDefinition } from '../metadata/parameter.js';
import {
  CLASS_METHODS,
  GUARD_OVERRIDES,
  type Guard,
  type GuardFn,
  hasMethodOf,
  type Interceptor,
  type InterceptorReference,
  isClassOf,
  type MiddlewareReference,
  type ReferenceKind,
  type SharedReferences,
} from '../metadata/references.js';
import { type BuildRoutesOptions, checkBuildOptions } from '../options.js';
import { chain } from '../promise.js';

/** A route that is ready to be registered on a router. */
export interface BuiltRoute extends RouteDefinition {
  /** Path below the plugin's prefix, relative to the router's mount. */
  readonly path: string;
  /** The plugin's guards, then the class's and the method's. */
  readonly guards: readonly Guard[];
  /** The plugin's middleware, then the class's and the method's. */
  readonly middleware: readonly MiddlewareReference[];
  /** The plugin's interceptors, then the class's and the method's, the outermost first. */
  readonly interceptors: readonly InterceptorReference[];
  /** What the route is registered with: its status, schemas and documentation. */
  readonly options: RouteOptions;
  /** The functions that a router runs. The last one runs the method. */
  readonly handlers: readonly [...middleware: Middleware[], handler: Handler];
}

/** Everything that building a route needs besides its definition. */
export interface BuildContext {
  readonly prefix: string;
  readonly shared: SharedReferences;
  readonly instances: Instances;
  /** Returns the function to call instead of a guard function, if any. */
  readonly overrideGuard: (guard: GuardFn) => GuardFn | undefined;
  /** Receives the problems of built routes, one for each guard, middleware, interceptor and call. */
  readonly problems: Map<unknown, Error>;
  /** Receives warnings. */
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
export function buildRoutes(
  target: Constructor | ControllerDefinition,
  options: BuildRoutesOptions = {},
): readonly BuiltRoute[] {
  throwProblems(checkBuildOptions('buildRoutes()', options));
  const definition = isDefinition(target) ? target : new ControllerRegistry().register(target);
  const context = createBuildContext(options);
  const { shared, instances } = context;
  throwProblems(instances.check(requiredTokens([definition], shared)));
  const routes = buildCheckedRoutes(definition, context);
  throwProblems([...context.problems.values()]);
  return routes;
}

function isDefinition(target: Constructor | ControllerDefinition): target is ControllerDefinition {
  return typeof target === 'object' && target !== null && 'routes' in target;
}

export function createBuildContext({
  prefix = '',
  guards = [],
  middleware = [],
  interceptors = [],
  container = globalContainer,
  warn = console.warn,
}: BuildRoutesOptions): BuildContext {
  const instances = new Instances(container, warn);
  const shared = { guards, middleware, interceptors };
  const isOverridden = container.has?.(GUARD_OVERRIDES) ?? false;
  const overrideGuard = isOverridden ? container.resolve(GUARD_OVERRIDES) : () => undefined;
  return { prefix, shared, instances, overrideGuard, problems: new Map(), warn };
}

/**
 * Builds the routes of a checked controller. Resolves shared instances now, not for each request.
 *
 * @param context - Receives the problems of instances.
 */
export function buildCheckedRoutes(
  definition: ControllerDefinition,
  context: BuildContext,
): readonly BuiltRoute[] {
  return Object.freeze(definition.routes.map((route) => buildRoute(route, definition, context)));
}

/**
 * Looks for instances of the wrong kind, although the controller has other problems.
 *
 * @param context - Receives the problems.
 */
export function checkInstances(definition: ControllerDefinition, context: BuildContext): void {
  for (const route of definition.routes) {
    createSteps(route, mergeReferences(context.shared, route), definition, context);
  }
}

/** The functions of a route that use instances. */
interface RouteSteps {
  readonly middleware: readonly Step<[next: Next]>[];
  readonly guards: readonly NamedGuard[];
  readonly interceptors: readonly Interceptor[];
  readonly call: CallMethod;
  /** Whether an instance is resolved for each request. */
  readonly isPerRequest: boolean;
}

/** Finds the source of a token. The description says what the route uses it for. */
type FindSource = (
  token: Token,
  description: string,
) => { readonly source: InstanceSource; readonly requirement: Requirement };

/** Creates a function for each instance. One whose token is not usable has no effect. */
function createSteps(
  route: RouteDefinition,
  { middleware, guards, interceptors }: SharedReferences,
  { name, controller }: ControllerDefinition,
  { instances, overrideGuard, problems }: BuildContext,
): RouteSteps {
  const sources: InstanceSource[] = [];
  const findSource: FindSource = (token, description) => {
    const requirement = { description, controller };
    const source = instances.sourceOf(token, requirement);
    sources.push(source);
    return { source, requirement };
  };
  const tryCreate = <Run>(token: Token, create: () => Run): Run | (() => undefined) => {
    if (!instances.isUsable(token)) return () => undefined;
    const { value, problems: found } = attempt(create);
    for (const problem of found) if (!problems.has(token)) problems.set(token, problem);
    return value ?? (() => undefined);
  };
  const step = <Next extends unknown[]>(
    kind: ReferenceKind,
    reference: Reference<Next>,
  ): Step<Next> =>
    isFunctionOf(kind, reference)
      ? reference
      : tryCreate(reference, () => createStep<Next>(kind, reference, route, findSource));
  return {
    middleware: middleware.map((reference) => step<[next: Next]>('middleware', reference)),
    guards: guards.map((guard, index) => ({
      name: guardName(guard, index),
      check: step<[]>(
        'guard',
        isFunctionOf<[]>('guard', guard) ? (overrideGuard(guard as GuardFn) ?? guard) : guard,
      ),
    })),
    interceptors: interceptors.map((each) => step<[next: () => unknown]>('interceptor', each)),
    call: tryCreate(controller, () =>
      createCall(route, findSource(controller, `the controller ${name}`).source),
    ),
    isPerRequest: sources.some(({ perRequest }) => perRequest !== undefined),
  };
}

function buildRoute(
  route: RouteDefinition,
  definition: ControllerDefinition,
  context: BuildContext,
): BuiltRoute {
  const { prefix, shared, instances } = context;
  const references = mergeReferences(shared, route);
  const { isPerRequest, ...steps } = createSteps(route, references, definition, context);
  const values = route.metadata.size > 0 ? [createValuesStep(route.metadata)] : [];
  const isScoped = instances.hasScopes && isPerRequest;
  const scope = isScoped ? [instances.scopes.middleware] : [];
  const hold: Hold = isScoped ? instances.scopes.hold : (run) => run;
  const invoker = createRouteInvoker(route, { ...steps, hold });
  const built: BuiltRoute = Object.freeze({
    ...route,
    ...references,
    path: joinPath(prefix, route.path),
    options: routeOptions(route, references),
    handlers: Object.freeze<BuiltRoute['handlers']>([
      ...values,
      ...scope,
      ...steps.middleware.map(hold),
      invoker,
    ]),
  });
  const opens = steps.interceptors.some((one) => descriptionOf(one)?.role === 'websocket');
  if (opens) describe(invoker, { role: 'websocket' });
  if (isIntended(definition.controller)) markIntended(invoker);
  ROUTES.set(invoker, built);
  return built;
}

/** Whether a guard checks the requests to a route. With a decorator such as `@Public()`, it does not. */
export function appliesTo({ metadata }: RouteDefinition, guard: Guard): boolean {
  return ![...metadata].some(([key, value]) => {
    const { reader } = key;
    if (reader?.exempts(value) !== true) return false;
    return reader.matches(guard) || reader.contradicts(guard) !== undefined;
  });
}

function routeOptions(
  route: RouteDefinition,
  { guards, middleware }: SharedReferences,
): RouteOptions {
  const { options, status, parameters } = route;
  const inputs = parameters.flatMap((parameter) => {
    const { source } = parameter;
    return isInputSource(source) ? describeInput(source, parameter) : [];
  });
  const applying = guards.filter((guard) => appliesTo(route, guard));
  const security = [...middleware, ...applying].flatMap(
    (one) => descriptionOf(one)?.security ?? [],
  );
  const isSecured = applying.length > 0 || security.length > 0;
  if (inputs.length === 0 && !isSecured && status === options.status) return options;
  const created: { -readonly [Name in keyof RouteOptions]: RouteOptions[Name] } = {
    ...options,
  };
  if (status !== undefined) created.status = status;
  if (inputs.length > 0) created.inputs = inputs;
  if (isSecured) {
    created.security = security;
    created.errors = [...new Set([401, 403, ...(options.errors ?? [])])];
  }
  return Object.freeze(created);
}

/** Describes a parameter for tools. Asks its schema only if a tool needs to know whether it is required. */
function describeInput(source: RouteInput['source'], parameter: ParameterDefinition): RouteInput {
  const { name, schema, all, required, isRequiredSet, default: fallback } = parameter;
  return {
    source,
    name,
    schema,
    all,
    get required() {
      if (fallback !== undefined) return false;
      return schema === undefined || isRequiredSet ? required : !acceptsAbsence(schema);
    },
  };
}

/** Routes by the last of their handlers. The router keeps only the handlers, not the route. */
const ROUTES = new WeakMap<Middleware, BuiltRoute>();

/** Finds the route that a handler was built for; undefined if the handler is not from a controller. */
export function routeOf(handler: Middleware | undefined): BuiltRoute | undefined {
  return handler === undefined ? undefined : ROUTES.get(handler);
}

function createValuesStep(values: RouteValues): Middleware {
  return (ctx, next) => {
    setRouteValues(ctx, values);
    return next();
  };
}

/** A guard, a middleware or an interceptor. A guard receives no `next`. */
type Step<Next extends unknown[]> = (ctx: Context, ...next: Next) => unknown;

const EXPECTED: Readonly<Record<ReferenceKind, string>> = {
  guard: 'a function',
  middleware: 'a function (ctx, next)',
  interceptor: 'a function (ctx, next)',
};

/** A reference to a guard, a middleware or an interceptor. */
type Reference<Next extends unknown[]> =
  | Step<Next>
  | Constructor
  | InjectionToken<unknown>
  | string
  | symbol;

/** Whether a reference is a function to call, which needs no instance. */
function isFunctionOf<Next extends unknown[]>(
  kind: ReferenceKind,
  reference: Reference<Next>,
): reference is Step<Next> {
  return typeof reference === 'function' && !isClassOf(kind, reference);
}

/**
 * Turns a class or a token of a guard, a middleware or an interceptor into a function.
 *
 * @throws {ControllerResolutionError} 500, when the container returns neither a function nor an object
 *   with the method of the kind.
 */
function createStep<Next extends unknown[]>(
  kind: ReferenceKind,
  token: Token,
  { handler }: RouteDefinition,
  findSource: FindSource,
): Step<Next> {
  const name = describeToken(token);
  const { source, requirement } = findSource(token, `the ${kind} ${name} of ${handler}`);
  const method = CLASS_METHODS[kind];
  const asStep = (instance: unknown): Step<Next> => {
    if (hasMethodOf(kind, instance)) return (...values) => instance[method](...values);
    if (typeof instance === 'function' && !isClassOf(kind, instance)) return instance as Step<Next>;
    const expected = `${EXPECTED[kind]} or an object with ${method}()`;
    throw wrongInstance(expected, requirement, instance);
  };
  const known = 'instance' in source ? asStep(source.instance) : undefined;
  const { perRequest } = source;
  const ofRequest: Step<Next> = (ctx, ...next) =>
    chain(perRequest?.(ctx), (instance) => asStep(instance)(ctx, ...next));
  const step = perRequest === undefined && known !== undefined ? known : ofRequest;
  if (step === source.instance) return step;
  const holder: unknown = known === undefined ? Object(token).prototype : source.instance;
  const run: unknown = hasMethodOf(kind, holder) ? holder[method] : known;
  return markStep(withName(name, step), token, run);
}

/**
 * Marks the function for a class or a token like the function that it calls.
 *
 * @param run - That function; undefined if it is not known before a request.
 */
function markStep<Run extends object>(step: Run, token: Token, run: unknown): Run {
  // Without its source, checks cannot tell what it does.
  if (isIntended(token) || run === undefined) markIntended(step);
  if (typeof run !== 'function') return step;
  return describe(step, { wraps: run });
}

/** Names a function, because some errors contain the name, such as the one for a second `next()` call. */
function withName<Run extends (...values: never[]) => unknown>(name: string, run: Run): Run {
  return Object.defineProperty(run, 'name', { value: name });
}

interface InvokerParts extends Pick<RouteSteps, 'call' | 'guards' | 'interceptors'> {
  readonly hold: Hold;
}

function createRouteInvoker(
  route: RouteDefinition,
  { call, guards, interceptors, hold }: InvokerParts,
): Handler {
  const { handler, options } = route;
  // Asks the schemas at the first empty result, not at each.
  let isOptional: boolean | undefined;
  const invoker = createInvoker({
    ...route,
    guards,
    call: intercept(hold(call), interceptors.map(hold)),
    mayBeEmpty: () => {
      isOptional ??= mayBeEmpty(options);
      return isOptional;
    },
  });
  return Object.defineProperty(hold(invoker), 'name', { value: handler });
}

type Method = (...values: unknown[]) => unknown;

function createCall(route: RouteDefinition, controller: InstanceSource): CallMethod {
  if (controller.perRequest === undefined) {
    const { instance } = controller;
    const method = methodOf(instance, route);
    return (_ctx, values) => method.apply(instance, values);
  }
  if ('instance' in controller) methodOf(controller.instance, route);
  return (ctx, values) =>
    chain(controller.perRequest(ctx), (instance) =>
      methodOf(instance, route).apply(instance, values),
    );
}

/** Reads the method from the instance, because a container may return a replacement. */
function methodOf(instance: unknown, { methodName, handler }: RouteDefinition): Method {
  const method: unknown = (instance as Record<string | symbol, unknown> | null | undefined)?.[
    methodName
  ];
  if (typeof method === 'function') return method as Method;
  const requirement: Requirement = { description: `the controller of ${handler}` };
  throw wrongInstance(`an object with a method ${String(methodName)}()`, requirement, instance);
}
