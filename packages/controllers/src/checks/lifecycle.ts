import { type Constructor, describeToken } from '@fairlead/di';
import { isIntended } from '@fairlead/options';
import { errorText } from '../errors.js';

/** Lifecycle methods that another framework calls. */
const HOOKS = [
  'onModuleInit',
  'onApplicationBootstrap',
  'onModuleDestroy',
  'beforeApplicationShutdown',
  'onApplicationShutdown',
] as const;

/** Describes classes with such methods. */
export function describeHooks(classes: readonly Constructor[]): readonly string[] {
  const unmarked = classes.filter((target) => !isIntended(target));
  const found = unmarked.flatMap((target) =>
    HOOKS.filter((hook) => hook in target.prototype).map(
      (hook) => `${describeToken(target)}.${hook}()`,
    ),
  );
  if (found.length === 0) return [];
  const fix =
    'do startup work in the constructor or in an asynchronous factory, with eager: true if nothing depends on the class. Release resources in [Symbol.asyncDispose]() or [Symbol.dispose](), which app.close() calls. If your code calls them, pass the class to intended().';
  return [errorText(`nothing calls the lifecycle methods ${found.join(', ')}.`, fix)];
}
