import { type Context, isStandardSchema } from '@fairlead/core';
import { createValidate, joinPaths } from '@fairlead/core/extend';
import type { Constructor, Dependency, Scope } from '@fairlead/di';
import {
  type CallSite,
  captureLine,
  describeValue,
  fn,
  isPlainObject,
  type Kinds,
  kind,
  object,
  oneOf,
  routeDocumentation,
  schemaKind,
} from '@fairlead/options';
import { decorateWith } from '../decorators/decorate-with.js';
import { type Diagnostic, refuse } from '../errors.js';
import {
  type ClassMetadata,
  classMetadata,
  type MethodMetadata,
  methodMetadata,
  type RouteMethod,
  undiscovered,
} from '../metadata/class-metadata.js';
import { recordMistake } from '../metadata/mistakes.js';
import { ROUTE_OPTIONS, readOptions, readPaths, VERSION } from '../metadata/read-options.js';
import { findListProblems, type Guard, type MiddlewareReference } from '../metadata/references.js';
import type { CallHandler, InstanceSource, Runner } from '../metadata/runner.js';
import { chain } from '../promise.js';
import { VALUE_STYLE } from './style.js';
import type {
  ControllerValue,
  ControllerValueOptions,
  ValueRoute,
  ValueRouteOptions,
} from './types.js';

const array = kind('an array', Array.isArray);

const SHARED_KINDS = {
  guards: array,
  middleware: array,
  interceptors: array,
  metadata: kind(
    "an array of decorators, such as [SetHeader('Vary', 'Accept')]",
    (value) => Array.isArray(value) && value.every(fn.accepts),
  ),
  tags: routeDocumentation.tags,
};

const CONTROLLER_KINDS: Kinds<ControllerValueOptions<string, string, object, object>> = {
  ...SHARED_KINDS,
  version: VERSION,
  inject: object,
  scope: oneOf('singleton', 'transient', 'request'),
  routes: fn,
};

const schema = schemaKind(isStandardSchema);

const ROUTE_KINDS: Kinds<ValueRouteOptions> = {
  ...ROUTE_OPTIONS,
  ...SHARED_KINDS,
  params: schema,
  query: schema,
  headers: schema,
  body: schema,
};

/** The arguments of one of the functions that create routes. */
class CreatedRoute {
  constructor(
    /** What identifies the controller that the function belongs to. */
    readonly owner: object,
    readonly method: unknown,
    readonly site: CallSite,
    readonly path: unknown,
    readonly options: unknown,
    readonly handler: unknown,
  ) {}

  /** Such as `get('/:id')`, for messages. */
  get call(): string {
    const { method, path } = this;
    const methods = [method].flat().filter(isMethod);
    const isList = methods.length !== 1 || Array.isArray(method);
    const start = isList ? `on(${describeValue(method)}, ` : `${methods[0]?.toLowerCase()}(`;
    return `${start}${typeof path === 'string' || Array.isArray(path) ? describeValue(path) : ''})`;
  }
}

const METHODS: readonly RouteMethod[] = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'QUERY',
  'HEAD',
  'OPTIONS',
  'ALL',
];

const isMethod = oneOf(...METHODS).accepts as (value: unknown) => value is RouteMethod;

/**
 * Creates the functions that create the routes of one controller.
 *
 * @param created - Receives the routes.
 */
function createBuilders(owner: object, created: CreatedRoute[]) {
  const create = (method: unknown, site: CallSite, path: unknown, rest: readonly unknown[]) => {
    const [options, handler] = rest.length > 1 ? rest : [{}, ...rest];
    const route = new CreatedRoute(owner, method, site, path, options, handler);
    created.push(route);
    return Object.freeze(route);
  };
  const builders = METHODS.map((method) => {
    const build = (path: unknown, ...rest: readonly unknown[]): CreatedRoute =>
      create(method, captureLine(build), path, rest);
    return [method.toLowerCase(), build] as const;
  });
  const on = (methods: unknown, path: unknown, ...rest: readonly unknown[]): CreatedRoute =>
    create(methods, captureLine(on), path, rest);
  return Object.freeze({ ...Object.fromEntries(builders), on });
}

/**
 * Creates a controller from functions, without a class and decorators. Export it below the `root` of
 * `controllersPlugin()`, or pass it wherever a controller class can be passed. The startup reports mistakes.
 *
 * @param prefix - Leading path of every route; empty for none.
 * @param options - The routes, the dependencies of their handlers, and what runs before them.
 */
export function defineController<
  Prefix extends string,
  Routes extends Readonly<Record<string, ValueRoute>>,
  const Inject extends Dependencies = Readonly<Record<never, never>>,
  Version extends string = '',
  const Shared extends readonly MiddlewareReference[] = readonly MiddlewareReference[],
  const Guards extends readonly Guard[] = readonly Guard[],
>(
  prefix: Prefix,
  options: ControllerValueOptions<Version, Prefix, Inject, Routes, Shared, Guards>,
  // A `ControllerValue`, written out: so declarations of controllers import nothing, and clients need no other package.
): {
  new (...instances: never[]): object;
  readonly '~contract'?: {
    readonly version: Version;
    readonly prefix: Prefix;
    readonly routes: {
      readonly [Name in keyof Routes]: NonNullable<Routes[Name]['~contract']>;
    };
  };
};
export function defineController(
  ...[prefix, given = {}]: readonly [prefix?: unknown, options?: unknown]
): ControllerValue {
  const site = captureLine(defineController);
  const isText = typeof prefix === 'string';
  const call = `defineController(${isText ? `'${prefix}'` : ''})`;
  const { options, faults } = readOptions<GivenOptions>(call, given, CONTROLLER_KINDS);
  const { inject = {}, scope, version, tags = [], metadata = [] } = options;
  const shown = isText ? prefix : '';
  const name = joinPaths(version ?? '', shown).replaceAll(/^\/|\/$/g, '') || 'root';
  const controller = createClass(name, inject, scope);
  const wrong = isText ? [] : [refuse(call, prefix, 'prefix', "pass a string, such as '/users'.")];
  const { guards = [], middleware = [], interceptors = [] } = options;
  const problems = findListProblems(call, options, VALUE_STYLE.spell);
  const hasPath = isText && faults.length === 0;
  Object.assign(classMetadata(controller), {
    guards,
    middleware,
    interceptors,
    controller: Object.freeze({
      prefix: shown,
      version,
      callSite: site,
      hasPath,
      style: VALUE_STYLE,
      inject: controller.inject,
    }),
  } satisfies Partial<ClassMetadata>);
  for (const fault of [...wrong, ...faults, ...problems])
    recordMistake({ owner: controller }, fault);
  const { routes }: { readonly routes?: unknown } = Object(given);
  const all: CreatedRoute[] = [];
  const builders = createBuilders(controller, all);
  const created: unknown = fn.accepts(routes) ? (routes as Build)(builders) : {};
  if (!isPlainObject(created))
    recordMistake({ owner: controller }, refuse('routes', created, 'result', NO_RECORD));
  else {
    const returned = new Map(
      Reflect.ownKeys({ ...created }).map((name) => [name, Reflect.get(created, name) as unknown]),
    );
    const kept = new Set(returned.values());
    classMetadata(controller).unreturned = all.filter((route) => !kept.has(route));
    for (const [name, route] of returned) {
      const isOwn = route instanceof CreatedRoute && route.owner === controller;
      if (isOwn) addRoute(controller, name, route, tags);
      else recordMistake({ owner: controller, key: name }, notARoute(name, route));
    }
  }
  decorateWith(call, metadata, [controller], nameMetadata);
  undiscovered.add(controller);
  return controller;
}

type Dependencies = Readonly<Record<string, Dependency>>;

type Build = (builders: ReturnType<typeof createBuilders>) => unknown;

const NO_RECORD = "return an object: ({ get }) => ({ list: get('/', …) }).";

type GivenOptions = ControllerValueOptions<string, string, Dependencies, object>;

/** A global symbol, under which the container looks for the names of dependencies. */
const INJECT_NAMES = Symbol.for('fairlead:inject-names');

type ValueClass = Constructor<object> & { readonly inject: readonly Dependency[] };

/** Creates the class whose instance is what the handlers of a controller receive. */
function createClass(name: string, inject: Dependencies, scope: Scope | undefined): ValueClass {
  const names = Object.keys(inject);
  const created = class {
    static readonly inject = Object.values(inject);
    static readonly scope = scope;

    constructor(...instances: readonly unknown[]) {
      Object.assign(this, Object.fromEntries(names.map((one, index) => [one, instances[index]])));
      Object.freeze(this);
    }
  };
  return Object.defineProperties(created, {
    name: { value: name },
    [INJECT_NAMES]: { value: names },
  });
}

function notARoute(name: string | symbol, value: unknown): Diagnostic {
  const fix = 'create it with get(), post() or another function that routes receives.';
  return refuse('routes', value, String(name), fix);
}

const SOURCES = { params: 'param', query: 'query', headers: 'header', body: 'body' } as const;

function addRoute(
  controller: Constructor<object>,
  name: string | symbol,
  { method, site, path, options: given, handler, call }: CreatedRoute,
  tags: readonly string[],
): void {
  const methods = [method].flat().filter(isMethod);
  const { options, faults } = readOptions<ValueRouteOptions>(call, given, ROUTE_KINDS);
  const { guards = [], middleware = [], interceptors = [], metadata = [], ...others } = options;
  const { params, query, headers, body, ...documented } = others;
  const problems = findListProblems(call, options, VALUE_STYLE.spell);
  const { paths, faults: wrong } = readPaths(
    call,
    path,
    "pass a string, such as '/:id', or an array of strings.",
  );
  if (methods.length === 0 || methods.length < [method].flat().length)
    wrong.push(refuse(call, method, 'methods', `pass some of ${METHODS.join(', ')}.`));
  if (!fn.accepts(handler)) {
    const fix = 'pass a function (ctx, instances) as the last argument.';
    wrong.push(refuse(call, handler, 'handler', fix));
  }
  // Metadata is not the mistake if the handler is one.
  const value = fn.accepts(handler) ? (handler as ValueHandler) : NO_HANDLER;
  for (const fault of [...wrong, ...faults, ...problems])
    recordMistake({ owner: controller, key: name }, fault);
  const allTags = [...tags, ...(options.tags ?? [])];
  const ofRoute = Object.freeze({ ...documented, ...(allTags.length > 0 && { tags: allTags }) });
  const routes = methods.flatMap((one) =>
    (paths.length > 0 ? paths : ['']).map((path) => ({
      method: one,
      path,
      options: ofRoute,
      callSite: site,
    })),
  );
  const inputs = Object.entries({ params, query, headers, body }).filter(([, schema]) => schema);
  const parameters = inputs.map(([input, schema], index) => {
    const source = SOURCES[input as keyof typeof SOURCES];
    return [index, { ...WHOLE, source, schema }] as const;
  });
  const validate = createValidate(`${controller.name}.${String(name)}`, options);
  Object.assign(methodMetadata(controller, name), {
    guards,
    middleware,
    interceptors,
    routes,
    parameters: new Map(parameters),
    runner: Object.freeze<Runner>({
      handler: value,
      takes: 0,
      fault: undefined,
      createRead: () => validate,
      createCall: (source) => createCall(value, source),
    }),
  } satisfies Partial<MethodMetadata>);
  const declaration = [controller.prototype, name, { value, configurable: true }] as const;
  decorateWith(call, metadata, declaration, nameMetadata);
}

const NO_HANDLER = (): void => {};

type ValueHandler = (ctx: Context, instances: unknown) => unknown;

function createCall(handler: ValueHandler, { instance, perRequest }: InstanceSource): CallHandler {
  if (perRequest === undefined) return (ctx) => handler(ctx, instance);
  return (ctx) => chain(perRequest(ctx), (own) => handler(ctx, own));
}

const nameMetadata = (index: number): string => `metadata[${index}]`;

/** The metadata of a parameter that receives a whole input, which its schema checks. */
const WHOLE = {
  name: undefined,
  all: false,
  required: true,
  isRequiredSet: false,
  default: undefined,
  transform: undefined,
  extract: undefined,
} as const;
