import type { Binding, Edge, Plan } from '../binding.js';
import type { Injection } from '../dependency.js';
import { AsyncProviderError, OutOfScopeError, type Problem } from '../errors/injection-errors.js';
import {
  Failure,
  gather,
  Pending,
  type ScopeCells,
  type Supplier,
  toPublicError,
} from '../instance.js';
import { isPromise } from '../lifetime.js';
import type { Token } from '../token.js';
import { unknownToken } from '../unknown-token.js';
import { edgesOf, isEdge } from './graph.js';
import { requestPathFrom, Walk } from './walk.js';

/** Returns the instance of a binding synchronously. */
export function resolveNow(binding: Binding, scope: ScopeCells | undefined): unknown {
  const made = resolveEither(binding, scope);
  if (made instanceof Pending) {
    const { scope, location } = made.source;
    throw new AsyncProviderError(made.path, location, scope === 'singleton');
  }
  return made;
}

/** Returns the instance of a binding after waiting for its asynchronous dependencies. */
export async function resolveLater(
  binding: Binding,
  scope: ScopeCells | undefined,
): Promise<unknown> {
  const made = resolveEither(binding, scope);
  return made instanceof Pending ? settle(made) : made;
}

/** Returns the instance of a binding, or a `Pending` to {@link settle}. */
export function resolveEither(binding: Binding, scope: ScopeCells | undefined): unknown {
  try {
    return build(binding, scope);
  } catch (error) {
    throw toPublicError(error);
  }
}

/** Waits for an instance. */
export async function settle({ promise }: Pending): Promise<unknown> {
  try {
    return await promise;
  } catch (error) {
    throw toPublicError(error);
  }
}

/**
 * Returns the instance of a binding, or a `Pending` for it. Throws an `InjectionError` when the graph has a problem,
 * and a `Failure` when a constructor or factory throws.
 */
export function build(binding: Binding, scope: ScopeCells | undefined): unknown {
  const { supplier } = binding.known.plan ?? checkedPlan(binding);
  return supplier(scope);
}

function checkedPlan(binding: Binding): Plan {
  const fail = (problem: Problem, path: readonly Token[]) => {
    throw problem(path);
  };
  const walk = new Walk(fail, { trustPlans: true });
  walk.visit(binding);
  for (const visited of walk.visited()) plan(visited);
  return plan(binding);
}

/** Plans a binding whose dependencies have been planned already. */
function plan(binding: Binding): Plan {
  const { known } = binding;
  if (known.plan !== undefined) return known.plan;
  const edges = edgesOf(binding).filter(isEdge);
  const suppliers = edges.map((edge) => edgeSupplier(binding, edge));
  const requestPaths = edges
    .flatMap((edge) => edge.targets)
    .map((target) => plan(target).requestPath);
  known.plan = {
    supplier: scoped(binding, maker(binding, suppliers)),
    requestPath: requestPathFrom(binding, requestPaths.find(Boolean)),
  };
  return known.plan;
}

function edgeSupplier({ owner }: Binding, { injection, targets }: Edge): Supplier {
  if (injection.kind === 'lazy') {
    return (scope) => ({
      get value() {
        return resolveLazily(owner, injection, scope);
      },
    });
  }
  const suppliers = targets.map((target) => plan(target).supplier);
  if (injection.kind === 'all') return (scope) => gather(suppliers, scope, (values) => values);
  return suppliers[0] ?? (() => undefined);
}

function resolveLazily(
  owner: Binding['owner'],
  { token, optional }: Injection,
  scope: ScopeCells | undefined,
): unknown {
  const target = token();
  const binding = owner.find(target).at(-1);
  if (binding !== undefined) return resolveNow(binding, scope);
  if (optional) return undefined;
  throw unknownToken(owner, target)([]);
}

/** Wraps a supplier so that it keeps its instance according to the binding's scope. */
function scoped(binding: Binding, make: Supplier): Supplier {
  const { token, owner } = binding;
  switch (binding.scope) {
    case 'transient':
      return make;
    case 'singleton':
      return () => binding.cell.obtain(token, make, undefined, owner.lifetime);
    case 'request':
      return (scope) => {
        if (scope !== undefined) {
          return scope.cellOf(binding).obtain(token, make, scope, scope.lifetime);
        }
        const problem: Problem = (path) => new OutOfScopeError(path, token, binding.location);
        throw new Failure([token], problem, binding);
      };
  }
}

/** Returns the function that creates a new instance of a binding. */
function maker(binding: Binding, suppliers: readonly Supplier[]): Supplier {
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
function instantiator(binding: Binding): (values: readonly unknown[]) => unknown {
  const { provider } = binding;
  if ('useClass' in provider) {
    const { useClass } = provider;
    return (values) => construct(useClass as Construct, values);
  }
  if ('useFactory' in provider) {
    const { useFactory } = provider;
    return (values) => {
      const made: unknown = useFactory(...(values as never[]));
      return isPromise(made) ? new Pending([], watch(binding, made), binding) : made;
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
