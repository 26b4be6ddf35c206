import { mayAccept } from '@fairlead/core/extend';
import { describeValue, isClass, isIntended } from '@fairlead/options';
import type { ControllerDefinition, RouteDefinition } from '../definition/definition.js';
import { type Diagnostic, errorText } from '../errors.js';
import { describeParameter } from '../metadata/parameter.js';
import { distinctMethods } from './subjects.js';

/** Finds defaults that the schema of their parameter rejects, as far as its structure tells. */
export function findDefaults({ parameters }: RouteDefinition): Diagnostic[] {
  return parameters.flatMap(({ source, name, schema, default: value }) => {
    if (schema === undefined || value === undefined || mayAccept(schema, value)) return [];
    return {
      problem: `the default of the ${describeParameter(source, name)} is ${describeValue(value)}, which its schema rejects.`,
      fix: 'change the default or the schema. The default passes through the schema.',
    };
  });
}

/** Describes parameters that only other callers of a method could pass. */
export function describeUndecorated({ routes }: ControllerDefinition): readonly string[] {
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
export function describeUnusedDefaults({ routes }: ControllerDefinition): readonly string[] {
  return distinctMethods(routes).flatMap(({ handler, methodName, parameters, locate }) =>
    parameters.flatMap(({ source, name = '', index, default: value }) => {
      if (source !== 'param' || value === undefined || !/^\w+$/.test(name)) return [];
      // A wildcard may match nothing.
      const demands = new RegExp(`:${name}(?![\\w?])`);
      const own = routes.filter((one) => one.methodName === methodName);
      if (!own.every(({ path }) => demands.test(path))) return [];
      const title = `the default of parameter ${index} of ${handler} never applies, because every path of the route has ':${name}'.`;
      const fix = `make the parameter optional, as in '/:${name}?', or remove the default. If a subclass has other paths, pass the class to intended().`;
      return errorText(title, fix, locate());
    }),
  );
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
export function describeUnvalidated(
  definitions: readonly ControllerDefinition[],
): readonly string[] {
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
export function describeErased(definitions: readonly ControllerDefinition[]): readonly string[] {
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
