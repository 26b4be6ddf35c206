import { describeCaller, isIntended } from '@fairlead/options';
import type { ControllerDefinition } from '../definition/definition.js';
import { errorText } from '../errors.js';
import type { MethodMetadata } from '../metadata/class-metadata.js';
import { describeParameter } from '../metadata/parameter.js';

/** Describes routes that the function `routes` of a value has created in vain. */
export function describeUnreturned({ name, unreturned }: ControllerDefinition): readonly string[] {
  return unreturned
    .filter((route) => !isIntended(route))
    .map(({ call, site }) => {
      const title = `the routes of ${name} create ${call}, but do not return it, so it is not registered.`;
      const fix =
        'add it to the object that routes returns, remove it, or pass it to intended() if it is left out on purpose.';
      return errorText(title, fix, describeCaller(site));
    });
}

/** Describes methods whose decorators have no effect because no route is declared or inherited. */
export function describeMethodsWithoutRoute({
  methods,
  mistakes,
  name,
  locate,
}: ControllerDefinition): readonly string[] {
  const isExplained = (key: string | symbol) => mistakes.some(({ member }) => member === key);
  return [...methods].flatMap(([key, method]) => {
    const decorators = method.routes.length > 0 ? [] : routeDecoratorsOf(method);
    if (decorators.length === 0 || isExplained(key)) return [];
    const title = `the method ${name}.${String(key)} has no route, so these decorators have no effect: ${decorators.join(', ')}.`;
    const fix =
      'add @Get() or another route decorator, or remove them. If a subclass adds the route, pass the class to intended().';
    return errorText(title, fix, locate());
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
