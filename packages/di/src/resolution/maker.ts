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
      return made instanceof Pending ? made.prepend(binding) : made;
    } catch (error) {
      throw Failure.prepend(binding, error);
    }
  };
}

/** Returns the function that turns a provider's dependencies into its instance. */
function instantiator(binding: Binding): Instantiate {
  const { provider } = binding;
  if ('useClass' in provider) {
    const { useClass } = provider;
    return (values) => construct(useClass as Construct, values);
  }
  if ('useFactory' in provider) {
    const { useFactory } = provider;
    return (values) => {
      const made: unknown = useFactory(...(values as never[]));
      return isPromise(made) ? new Pending([], watch(binding, made)) : made;
    };
  }
  return 'useValue' in provider ? () => provider.useValue : ([existing]) => existing;
}

/** Lists a factory among the pending ones until its promise settles, except during requests. */
function watch({ token, scope, owner }: Binding, made: PromiseLike<unknown>): Promise<unknown> {
  const promise = Promise.resolve(made);
  if (scope === 'request') return promise;
  const { pending } = owner.tree;
  const settle = () => pending.delete(promise);
  pending.set(promise, token);
  promise.then(settle, settle);
  return promise;
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
