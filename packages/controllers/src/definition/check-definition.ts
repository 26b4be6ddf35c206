import { contentOf, mayAccept, responseSchemas } from '@fairlead/core/extend';
import type { Constructor } from '@fairlead/di';
import {
  describeCaller,
  describeValue,
  explainUndescribedStatus,
  isClass,
  isIntended,
} from '@fairlead/options';
import {
  type ControllerError,
  type Diagnostic,
  errorText,
  RouteRegistrationError,
  throwProblems,
} from '../errors.js';
import { checkRedirect } from '../invocation/redirect.js';
import {
  decoratorErrors,
  inheritedMetadata,
  lineage,
  locationOf,
  type MethodMetadata,
  metadataChain,
  ownMetadata,
  undiscovered,
  type ValueReader,
} from '../metadata/class-metadata.js';
import { describeParameter } from '../metadata/parameter.js';
import type { Guard } from '../metadata/references.js';
import { type ControllerDefinition, definitionOf, type RouteDefinition } from './definition.js';

/** Finds the problems that do not depend on other controllers: mistakes in decorators, then routes in their order. */
export function checkDefinition(definition: ControllerDefinition): ControllerError[] {
  const { controller, routes } = definition;
  const report = (
    route: RouteDefinition,
    found: readonly Diagnostic[],
  ): RouteRegistrationError[] => {
    return found.map((one) => new RouteRegistrationError(route.handler, one, route.locate()));
  };
  return [
    ...decoratorErrors(controller),
    ...checkContradictions(definition),
    ...checkExemptions(definition),
    ...distinctMethods(routes).flatMap((route) => [
      ...report(route, [route.runner.fault ?? []].flat()),
      ...report(route, checkRedirect(route.redirect)),
      ...report(route, checkDefaults(route)),
    ]),
    ...routes.flatMap((route) => report(route, checkStatus(route))),
  ];
}

/** Returns one route of each method: a method with several has its problems and parameters only once. */
function distinctMethods(routes: readonly RouteDefinition[]): readonly RouteDefinition[] {
  return [...new Map(routes.map((route) => [route.methodName, route])).values()];
}

/** Finds decorators of one class or method, of which one exempts routes from the guard that another adds. */
function checkContradictions({
  controller,
  name,
  style,
}: ControllerDefinition): RouteRegistrationError[] {
  return metadataChain(controller).flatMap((level) =>
    [[undefined, level] as const, ...level.methods].flatMap(([method, { values, guards }]) =>
      [...values].flatMap(([key, value]) => {
        const found = guards.flatMap((guard) => key.reader?.contradicts(guard) ?? []);
        if (found.length === 0 || key.reader?.exempts(value) !== true) return [];
        const [place, handler] =
          method === undefined
            ? [style.controller, name]
            : [style.route, `${name}.${String(method)}`];
        const [opener, guard] = [`@${key.name}()`, ...found].map(style.spell);
        const diagnostic = {
          problem: `${opener} opens what ${guard} of the same ${place} restricts.`,
          fix: 'remove one of the two.',
        };
        return new RouteRegistrationError(handler, diagnostic, locationOf(controller, method));
      }),
    ),
  );
}

/** Names what a guard demands, if a value of routes exempts them from it. */
type NameDemand = (reader: ValueReader, guard: unknown) => string | undefined;

const nameDemand: NameDemand = (reader, guard) =>
  reader.contradicts(guard) ?? (reader.matches(guard) ? reader.name : undefined);

/** Finds exemptions as {@link checkDefinition} does, but from the guards that the container has for tokens. */
export function checkExemptionsFrom(
  definition: ControllerDefinition,
  resolved: (guard: Guard) => unknown,
): RouteRegistrationError[] {
  return checkExemptions(definition, (reader, guard) =>
    nameDemand(reader, guard) === undefined
      ? nameDemand(reader, resolved(guard as Guard))
      : undefined,
  );
}

/** Finds decorators of a class or method that exempt routes from guards which a base class demands. */
function checkExemptions(
  definition: ControllerDefinition,
  nameOf: NameDemand = nameDemand,
): RouteRegistrationError[] {
  const { controller, name } = definition;
  const levels = lineage(controller);
  // By place, because a class may exempt many routes.
  const errors = new Map<string, RouteRegistrationError>();
  for (const { handler, methodName, guards, metadata } of definition.routes) {
    for (const [key, value] of metadata) {
      const { reader } = key;
      if (reader?.exempts(value) !== true) continue;
      const ofMethod = levels.findIndex((level) => {
        const values = ownMetadata(level)?.methods.get(methodName)?.values;
        return values?.has(key) && reader.exempts(values.get(key)) === true;
      });
      const demands = (list: readonly Guard[] = []): string | undefined =>
        list
          .filter((guard) => guards.includes(guard))
          .map((guard) => nameOf(reader, guard))
          .find(Boolean);
      // A class never inherits an exemption, so that of a class is its own.
      for (const base of levels.slice(0, ofMethod < 0 ? -1 : ofMethod)) {
        const own = ownMetadata(base);
        const ofClass = demands(own?.guards);
        const demand = ofClass ?? demands(own?.methods.get(methodName)?.guards);
        if (demand === undefined) continue;
        const [place, method] = ofMethod < 0 ? [name] : [handler, methodName];
        const baseName = Reflect.get(base, 'name') || '(anonymous class)';
        const fix =
          ofClass === undefined && ofMethod >= 0
            ? 'add @SkipInheritedGuards() to the method'
            : `move ${demand} from ${baseName} to the classes and methods that need it`;
        const diagnostic = {
          problem: `@${key.name}() opens what ${demand} of the base class ${baseName} restricts.`,
          fix: `remove @${key.name}(), or ${fix}.`,
        };
        errors.set(
          `${place} ${key.name} ${baseName}`,
          new RouteRegistrationError(place, diagnostic, locationOf(controller, method)),
        );
      }
    }
  }
  return [...errors.values()];
}

/** Finds a status that the response schemas do not describe. A redirect sets the status itself. */
function checkStatus({ status, options, redirect }: RouteDefinition): Diagnostic[] {
  if (redirect !== undefined) return [];
  const problem = explainUndescribedStatus(status, [...responseSchemas(options).keys()]);
  return problem === undefined ? [] : [problem];
}

/** Finds defaults that the schema of their parameter rejects, as far as its structure tells. */
function checkDefaults({ parameters }: RouteDefinition): Diagnostic[] {
  return parameters.flatMap(({ source, name, schema, default: value }) => {
    if (schema === undefined || value === undefined || mayAccept(schema, value)) return [];
    return {
      problem: `the default of the ${describeParameter(source, name)} is ${describeValue(value)}, which its schema rejects.`,
      fix: 'change the default or the schema. The default passes through the schema.',
    };
  });
}

/** Describes what looks like a mistake in the controllers of an application, but may be intended. */
export function describeAllDoubts(definitions: readonly ControllerDefinition[]): readonly string[] {
  return [
    ...describeUnvalidated(definitions),
    ...describeErased(definitions),
    ...definitions.flatMap(describeDoubts),
  ];
}

/** Describes what looks like a mistake in a controller, but may be intended. */
export function describeDoubts(definition: ControllerDefinition): readonly string[] {
  if (isIntended(definition.controller)) return [];
  return [
    ...describeUndecorated(definition),
    ...describeUnusedDefaults(definition),
    ...describeTwoStatuses(definition),
    ...describeContentTypes(definition),
    ...describeMethodsWithoutRoute(definition),
    ...describeUnreturned(definition),
  ];
}

/** Describes routes that the function `routes` of a value has created in vain. */
function describeUnreturned({ name, unreturned }: ControllerDefinition): readonly string[] {
  return unreturned
    .filter((route) => !isIntended(route))
    .map(({ call, site }) => {
      const title = `the routes of ${name} create ${call}, but do not return it, so it is not registered.`;
      const fix =
        'add it to the object that routes returns, remove it, or pass it to intended() if it is left out on purpose.';
      return errorText(title, fix, describeCaller(site));
    });
}

/** Describes parameters that only other callers of a method could pass. */
function describeUndecorated({ routes }: ControllerDefinition): readonly string[] {
  return distinctMethods(routes).flatMap((route) => {
    const decorated = new Set(route.parameters.map(({ index }) => index));
    return Array.from({ length: route.runner.takes }, (_, index) => index)
      .filter((index) => !decorated.has(index))
      .map((index) => {
        const title = `parameter ${index} of ${route.handler} has no decorator, so it is undefined in requests.`;
        const fix =
          "add a decorator, such as @Body(), @Param('id') or @Ctx(), or remove the parameter. If only your own code passes it, give it a default value.";
        return errorText(title, fix, route.locate());
      });
  });
}

/** Describes defaults of path parameters that every path of their method has. */
function describeUnusedDefaults({ controller, routes }: ControllerDefinition): readonly string[] {
  return distinctMethods(routes).flatMap(({ handler, methodName, parameters }) =>
    parameters.flatMap(({ source, name = '', index, default: value }) => {
      if (source !== 'param' || value === undefined || !/^\w+$/.test(name)) return [];
      // A wildcard may match nothing.
      const demands = new RegExp(`:${name}(?![\\w?])`);
      const own = routes.filter((one) => one.methodName === methodName);
      if (!own.every(({ path }) => demands.test(path))) return [];
      const title = `the default of parameter ${index} of ${handler} never applies, because every path of the route has ':${name}'.`;
      const fix = `make the parameter optional, as in '/:${name}?', or remove the default. If a subclass has other paths, pass the class to intended().`;
      return errorText(title, fix, locationOf(controller, methodName));
    }),
  );
}

/** Describes methods of which `@HttpCode()` and the options of their route name different statuses. */
function describeTwoStatuses({ controller, name, style }: ControllerDefinition): readonly string[] {
  const methods = [...(ownMetadata(controller)?.methods ?? [])];
  return methods.flatMap(([key, { status, routes }]) => {
    const { options } = routes.find((route) => (route.options.status ?? status) !== status) ?? {};
    if (status === undefined || options?.status === undefined) return [];
    const decorator = style.spell(`@HttpCode(${status})`);
    const title = `the route ${name}.${String(key)} has the status ${options.status}, but ${decorator} sets another one.`;
    const fix = 'keep one of the two, or pass the controller to intended().';
    return errorText(title, fix, locationOf(controller, key));
  });
}

/** Describes routes whose header says that their responses are no JSON, although their schema describes JSON. */
function describeContentTypes({ routes, style }: ControllerDefinition): readonly string[] {
  return distinctMethods(routes).flatMap(({ headers, options, handler, locate }) => {
    const { value } = headers.findLast(({ name }) => /^content-type$/i.test(name)) ?? {};
    if (value === undefined || /[/+]json\b/i.test(value)) return [];
    const describesJson = [...responseSchemas(options)].some(
      ([status, schema]) => status < 300 && contentOf(schema) === undefined,
    );
    if (!describesJson) return [];
    const decorator = style.spell(`@SetHeader('Content-Type', '${value}')`);
    const title = `${handler} has ${decorator}, but its response describes JSON, so each value that it returns is a 500.`;
    const fix = `describe the response with content('${value}') and pass the text to ctx.send(), or remove the header. If it is right, pass the controller to intended().`;
    return errorText(title, fix, locate());
  });
}

/** Describes methods whose decorators have no effect because no route is declared or inherited. */
function describeMethodsWithoutRoute({
  controller,
  name,
}: ControllerDefinition): readonly string[] {
  const { methods, problems } = inheritedMetadata(controller);
  const isExplained = (key: string | symbol) => problems.some(({ member }) => member === key);
  return [...methods].flatMap(([key, method]) => {
    const decorators = method.routes.length > 0 ? [] : routeDecoratorsOf(method);
    if (decorators.length === 0 || isExplained(key)) return [];
    const title = `the method ${name}.${String(key)} has no route, so these decorators have no effect: ${decorators.join(', ')}.`;
    const fix =
      'add @Get() or another route decorator, or remove them. If a subclass adds the route, pass the class to intended().';
    return errorText(title, fix, locationOf(controller));
  });
}

function routeDecoratorsOf(method: Readonly<MethodMetadata>): string[] {
  const decorators: Readonly<Record<string, boolean>> = {
    UseGuard: method.guards.length > 0,
    UseMiddleware: method.middleware.length > 0,
    UseInterceptor: method.interceptors.length > 0,
    SkipInheritedGuards: method.skips.has('guards'),
    SkipInheritedMiddleware: method.skips.has('middleware'),
    SkipInheritedInterceptors: method.skips.has('interceptors'),
    SetHeader: method.headers.length > 0,
    HttpCode: method.status !== undefined,
    Redirect: method.redirect !== undefined,
  };
  const names = Object.keys(decorators).filter((name) => decorators[name]);
  const ofRoute = [...names, ...[...method.values.keys()].map(({ name }) => name)];
  const ofParameters = [...method.parameters.values()].map(
    ({ source, name }) => `the one for the ${describeParameter(source, name)}`,
  );
  return [...ofRoute.map((name) => `@${name}()`), ...ofParameters];
}

function parametersOf(definitions: readonly ControllerDefinition[]) {
  return definitions.flatMap(({ controller, routes }) =>
    routes.flatMap(({ handler, parameters }) =>
      parameters.map((parameter) => {
        return { ...parameter, controller, label: `parameter ${parameter.index} of ${handler}` };
      }),
    ),
  );
}

/** Describes the parameters that receive what clients send although their type is a class, so it looks validated. */
function describeUnvalidated(definitions: readonly ControllerDefinition[]): readonly string[] {
  const found = parametersOf(definitions).flatMap(({ label, schema, type }) => {
    const isUnvalidated = schema === undefined && isOwnClass(type) && !isIntended(type);
    return isUnvalidated ? `${label} (${type.name})` : [];
  });
  if (found.length === 0) return [];
  const fix =
    'pass a schema, as in @Body({ schema }); make the class a schema, as in class NewUser extends schemaClass(schema) {}; or use an interface or a type instead of the class. If the method validates it, pass the class to intended().';
  const title = `nothing validates parameters whose type is a class: ${[...new Set(found)].join(', ')}.`;
  return [errorText(title, fix)];
}

/** Whether a type is a class of the application or of a library, rather than of the language. */
function isOwnClass(type: unknown): type is { readonly name: string } {
  return isClass(type) && Reflect.get(globalThis, type.name) !== type;
}

/** Describes bodies that nothing validates because the compiler erased their type, although others are validated. */
function describeErased(definitions: readonly ControllerDefinition[]): readonly string[] {
  const bodies = parametersOf(definitions).filter(({ source }) => source === 'body');
  const erased = bodies.filter(({ schema, transform, name, type, controller }) => {
    const isErased = type === undefined || type === Object || type === Array;
    const isPlain = [schema, transform, name].every((one) => one === undefined);
    return isErased && isPlain && !isIntended(controller);
  });
  if (erased.length === 0 || bodies.every(({ schema }) => schema === undefined)) return [];
  const labels = [...new Set(erased.map(({ label }) => label))].join(', ');
  const fix =
    "pass a schema, as in @Body({ schema }). A class from schemaClass() as the type needs an import without 'type', and neither Partial nor an array. If the method validates the body, pass the controller to intended().";
  const title = `nothing validates the bodies of ${labels}, whose types the compiler erased, although other bodies have schemas.`;
  return [errorText(title, fix)];
}

/** Keeps one definition per controller class. */
export class ControllerRegistry {
  readonly #definitions = new Map<Constructor, ControllerDefinition>();

  /**
   * Reads, checks and keeps the definition of a class.
   *
   * @param target - A class with `@Controller()`. A registered class keeps its definition.
   * @returns The frozen definition.
   * @throws {NotAControllerError} 500, when the class does not itself have `@Controller()`.
   * @throws {NoRoutesError} 500, when it has no routes.
   * @throws {RouteRegistrationError} 500, when one of its routes cannot work.
   * @throws {StartError} 500, when there are several such problems.
   */
  register(target: Constructor): ControllerDefinition {
    const known = this.#definitions.get(target);
    if (known !== undefined) return known;
    const definition = definitionOf(target);
    throwProblems(checkDefinition(definition));
    undiscovered.delete(target);
    this.#definitions.set(target, definition);
    return definition;
  }

  /** Whether a class is registered. */
  has(target: Constructor): boolean {
    return this.#definitions.has(target);
  }

  /** The definition of a class; undefined if it is not registered. */
  get(target: Constructor): ControllerDefinition | undefined {
    return this.#definitions.get(target);
  }

  /** All definitions, in the order of registration. */
  get all(): readonly ControllerDefinition[] {
    return [...this.#definitions.values()];
  }
}
