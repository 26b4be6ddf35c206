import type { Binding, Edge, Owner, Plan } from '../binding.js';
import type { Injection } from '../dependency.js';
import { OutOfScopeError } from '../errors/graph-errors.js';
import type { Problem } from '../errors/injection-error.js';
import { AsyncProviderError } from '../errors/lifecycle-errors.js';
import type { Token } from '../token.js';
import { unknownToken } from '../unknown-token.js';
import { Failure, toPublicError } from './failure.js';
import { edgesOf } from './graph.js';
import { maker } from './maker.js';
import { gather, Pending } from './pending.js';
import type { ScopeCells, Supplier } from './supplier.js';
import { requestPathFrom, Walk } from './walk.js';

/**
 * Returns the instance of a binding synchronously.
 *
 * @throws {InjectionError} When the graph has a problem, a constructor or factory throws, or
 *   an asynchronous dependency has not settled.
 */
export function resolveNow(binding: Binding, scope: ScopeCells | undefined): unknown {
  const made = resolveOrPending(binding, scope);
  if (made instanceof Pending) throw new AsyncProviderError(made.path);
  return made;
}

/** Returns the instance of a binding after waiting for its asynchronous dependencies. */
export async function resolveLater(
  binding: Binding,
  scope: ScopeCells | undefined,
): Promise<unknown> {
  const made = resolveOrPending(binding, scope);
  if (!(made instanceof Pending)) return made;
  try {
    return await made.promise;
  } catch (error) {
    throw toPublicError(error);
  }
}

function resolveOrPending(binding: Binding, scope: ScopeCells | undefined): unknown {
  try {
    return build(binding, scope);
  } catch (error) {
    throw toPublicError(error);
  }
}

/**
 * Returns the instance of a binding, or a `Pending` for it.
 *
 * @throws {InjectionError} When the graph has a problem.
 * @throws {Failure} When a constructor or factory throws.
 */
export function build(binding: Binding, scope: ScopeCells | undefined): unknown {
  const { supplier } = binding.plan ?? checkedPlan(binding);
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
  if (binding.plan !== undefined) return binding.plan;
  const edges = edgesOf(binding).filter((edge) => typeof edge !== 'function');
  const suppliers = edges.map((edge) => edgeSupplier(binding.owner, edge));
  const planned: Plan = {
    epoch: binding.owner.tree.epoch,
    supplier: scoped(binding, maker(binding, suppliers)),
    requestPath: requestPathFrom(
      binding,
      edges
        .flatMap((edge) => edge.targets)
        .map((target) => plan(target).requestPath)
        .find(Boolean),
    ),
  };
  binding.plan = planned;
  return planned;
}

function edgeSupplier(owner: Owner, { injection, targets }: Edge): Supplier {
  if (injection.kind === 'lazy') return lazySupplier(owner, injection);
  const suppliers = targets.map((target) => plan(target).supplier);
  if (injection.kind === 'all') return (scope) => gather(suppliers, scope, (values) => values);
  return suppliers[0] ?? (() => undefined);
}

function lazySupplier(owner: Owner, { token, optional }: Injection): Supplier {
  return (scope) => ({
    get value() {
      return resolveFrom(owner, token(), optional, scope);
    },
  });
}

function resolveFrom(
  owner: Owner,
  token: Token,
  optional: boolean,
  scope: ScopeCells | undefined,
): unknown {
  const binding = owner.find(token).at(-1);
  if (binding !== undefined) return resolveNow(binding, scope);
  if (optional) return undefined;
  throw unknownToken(owner, token)([]);
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
        throw new Failure(
          [token],
          (path) => new OutOfScopeError(path, token, binding.location),
          binding,
        );
      };
  }
}
