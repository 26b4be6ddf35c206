import { atLine, isClass } from '@fairlead/options';
import { roleOf } from '../annotations/description.js';
import { isPromiseLike } from '../promise.js';
import { describeArgument } from '../router/invalid-argument.js';
import { SetupError } from '../setup/setup-error.js';

/**
 * @param present - The plugins that are installed already.
 * @throws {SetupError} `INVALID_PLUGIN`, `DUPLICATE_PLUGIN`
 */
export function assertPlugin(value: unknown, present: readonly unknown[]): void {
  const plugin: { readonly [member: string]: unknown } = Object(value);
  const received = `app.plugin() received ${describeArgument(value)}`;
  const fail = (problem: string): SetupError => new SetupError('INVALID_PLUGIN', problem);
  if (typeof value === 'function') throw fail(`${received}. ${pluginFix(value)}`);
  if (isPromiseLike(value)) throw fail(`${received}. Await it first.`);
  if (typeof plugin.install !== 'function')
    throw fail(`${received} without install(). Pass an object with name and install(app).`);
  if (typeof plugin.name !== 'string' || plugin.name === '')
    throw fail(`${received} without a name. Set name to a string that identifies the plugin.`);
  for (const member of ['ready', 'close'] as const) {
    const hook = plugin[member];
    if (hook === undefined || typeof hook === 'function') continue;
    const problem = `The plugin '${plugin.name}' has ${describeArgument(hook)} as ${member}`;
    throw fail(`${problem}. Use a function, or omit it.`);
  }
  if (!present.includes(value)) return;
  throw new SetupError(
    'DUPLICATE_PLUGIN',
    `Cannot install the plugin '${plugin.name}' twice. Install each plugin object once, and create another object for a second instance.`,
  );
}

function pluginFix(value: { readonly name: string }): string {
  const name = value.name || 'create';
  if (isClass(value)) return `Pass an instance: app.plugin(new ${name}()).`;
  const call = `all it: app.plugin(${name}()).`;
  return roleOf(value) === 'factory' ? `C${call}` : `If it creates a plugin, c${call}`;
}

export function stillInstalling(plugin: { readonly name: string }): SetupError {
  return new SetupError(
    'PLUGIN_INSTALLING',
    `The plugin '${plugin.name}' is still installing. Await app.plugin() before the application handles requests.${atLine(plugin)}`,
  );
}

/** Calls `ready` of a plugin, and returns its error, if any. */
export function callReady(name: string, ready: () => unknown): readonly Error[] {
  const failure = `ready() of the plugin '${name}'`;
  try {
    const result = ready();
    if (!isPromiseLike(result)) return [];
    // The message replaces a later rejection.
    Promise.resolve(result).catch(() => undefined);
  } catch (error) {
    if (error instanceof Error) return [error];
    return [new Error(`${failure} threw ${String(error)}. Throw an Error.`, { cause: error })];
  }
  const fix = 'Check synchronously, and do asynchronous work in install().';
  return [new SetupError('INVALID_PLUGIN', `${failure} returned a promise. ${fix}`)];
}

/** Closes all plugins, last installed first. @throws {AggregateError} When some failed. */
export async function closePlugins(
  plugins: readonly { readonly name: string; close?(): void | Promise<void> }[],
): Promise<void> {
  const errors: unknown[] = [];
  for (const plugin of plugins.toReversed()) {
    try {
      await plugin.close?.();
    } catch (error) {
      errors.push(new Error(`The plugin '${plugin.name}' failed to close.`, { cause: error }));
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, 'Plugins failed to close.');
}
