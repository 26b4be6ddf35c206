import type { Constructor } from '@fairlead/di';
import { describeValue } from '@fairlead/options';
import { ControllerResolutionError, errorText, explainInstance } from '../errors.js';
import { lacksMethod } from '../metadata/fields.js';
import type { CallHandler, InstanceSource, Runner } from '../metadata/runner.js';
import { chain } from '../promise.js';
import { createReadArguments } from './arguments.js';

type Callable = (...values: unknown[]) => unknown;

/** @param name - Class and method, such as `UsersController.create`. */
export function createMethodRunner(
  controller: Constructor,
  methodName: string | symbol,
  name: string,
): Runner {
  const declared: unknown = Reflect.get(controller.prototype, methodName);
  const isMethod = typeof declared === 'function';
  return Object.freeze<Runner>({
    handler: isMethod ? declared : undefined,
    // A function's length counts the parameters before the first one with a default.
    takes: isMethod ? declared.length : 0,
    fault: isMethod ? undefined : NO_METHOD,
    createRead: ({ handler, parameters, options }) =>
      parameters.length > 0
        ? createReadArguments(parameters, handler, options.invalidParams)
        : undefined,
    createCall: (source) => createCall(methodName, name, source),
  });
}

const NO_METHOD = { problem: 'it is not a method of the class.', fix: 'decorate methods only.' };

function createCall(
  methodName: string | symbol,
  name: string,
  source: InstanceSource,
): CallHandler {
  const { perRequest, type } = source;
  if (perRequest === undefined) {
    const { instance } = source;
    const method = methodOf(instance, methodName, name);
    return (_ctx, values) => method.apply(instance, values);
  }
  if ('instance' in source) methodOf(source.instance, methodName, name);
  if (type !== undefined && lacksMethod(type, methodName)) {
    const problem = `the container replaces it by ${describeValue(type)}, which has no method ${String(methodName)}().`;
    const fix =
      'add the method, or register a class that has it. In a test, also check the overrides.';
    throw new ControllerResolutionError(`the controller of ${name}`, errorText(problem, fix));
  }
  return (ctx, values) =>
    chain(perRequest(ctx), (instance) =>
      methodOf(instance, methodName, name).apply(instance, values),
    );
}

/** Reads the method from the instance, because a container may return a replacement. */
function methodOf(instance: unknown, methodName: string | symbol, name: string): Callable {
  const method = (instance as Record<string | symbol, unknown> | null | undefined)?.[methodName];
  if (typeof method === 'function') return method as Callable;
  const reason = explainInstance(`an object with a method ${String(methodName)}()`, instance);
  throw new ControllerResolutionError(`the controller of ${name}`, reason);
}
