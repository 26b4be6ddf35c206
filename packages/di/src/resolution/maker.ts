import type { Binding } from '../binding.js';
import { Failure } from './failure.js';
import { gather, Pending } from './pending.js';
import type { Supplier } from './supplier.js';

type Instantiate = (values: readonly unknown[]) => unknown;

/**
 * Returns the function that creates a new instance of a binding.
 *
 * @param suppliers - One for each parameter, in order.
 */
export function maker(binding: Binding, suppliers: readonly Supplier[]): Supplier {
  const instantiate = instantiator(binding);
  return (scope) => {
    try {
      const made = gather(suppliers, scope, instantiate);
      return made instanceof Pending ? made.prepend(binding.token) : made;
    } catch (error) {
      throw Failure.prepend(binding.token, error);
    }
  };
}

/** Returns the function that turns a provider's dependencies into its instance. */
function instantiator({ provider }: Binding): Instantiate {
  if ('useClass' in provider) {
    const { useClass } = provider;
    return (values) => construct(useClass as Construct, values);
  }
  if ('useFactory' in provider) {
    const { useFactory } = provider;
    return (values) => {
      const made: unknown = useFactory(...(values as never[]));
      return isPromise(made) ? new Pending([], Promise.resolve(made)) : made;
    };
  }
  return 'useValue' in provider ? () => provider.useValue : ([existing]) => existing;
}

type Construct = new (...values: readonly unknown[]) => unknown;

/** Avoids a spread for few parameters. `bench micro resolve-transient` measures the gain. */
function construct(target: Construct, values: readonly unknown[]): unknown {
  switch (values.length) {
    case 0:
      return new target();
    case 1:
      return new target(values[0]);
    case 2:
      return new target(values[0], values[1]);
    default:
      return new target(...values);
  }
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    'then' in value &&
    typeof value.then === 'function'
  );
}
