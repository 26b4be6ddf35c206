import type { Binding, Edge, Owner, Plan } from '../binding.js';
import type { Injection } from '../dependency.js';
import { OutOfScopeError, UnknownTokenError } from '../errors/graph-errors.js';
import type { InjectionError } from '../errors/injection-error.js';
import { AsyncProviderError } from '../errors/lifecycle-errors.js';
import type { Token } from '../token.js';
import { Failure, toPublicError } from './failure.js';
import { edgesOf } from './graph.js';
import { maker } from './maker.js';
import { gather, Pending } from './pending.js';
import type { ScopeCells, Supplier } from './supplier.js';
import { requestPathFrom, Walk } from './walk.js';

/**
 * Gives an instance at once.
 *
 * @throws {InjectionError} When the graph is unsound, a constructor throws, or something
 *   asynchronous is not ready.
 */
export function resolveNow(binding: Binding, scope: ScopeCells | undefined): unknown {
  const made = supply(binding, scope);
  if (made instanceof Pending) throw new AsyncProviderError(made.path);
  return made;
}

/** Gives an instance when everything asynchronous that it needs is there. */
export async function resolveLater(
  binding: Binding,
  scope: ScopeCells | undefined,
): Promise<unknown> {
  const made = supply(binding, scope);
  if (!(made instanceof Pending)) return made;
  try {
    return await made.promise;
  } catch (error) {
    throw toPublicError(error);
  }
}

function supply(binding: Binding, scope: ScopeCells | undefined): unknown {
  const { supply } = binding.plan ?? checkedPlan(binding);
  try {
    return supply(scope);
  } catch (error) {
    throw toPublicError(error);
  }
}

function checkedPlan(binding: Binding): Plan {
  const refuse = (problem: InjectionError) => {
    throw problem;
  };
  const walk = new Walk(refuse, { trustPlans: true });
  walk.visit(binding);
  for (const visited of walk.visited()) plan(visited);
  return plan(binding);
}

/** Plans a binding; all that it needs was planned before it. */
function plan(binding: Binding): Plan {
  if (binding.plan !== undefined) return binding.plan;
  const edges = edgesOf(binding).filter((edge) => typeof edge !== 'function');
  const suppliers = edges.map((edge) => edgeSupplier(binding.owner, edge));
  const planned: Plan = {
    epoch: binding.owner.tree.epoch,
    supply: scoped(binding, maker(binding, suppliers)),
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
  const suppliers = targets.map((target) => plan(target).supply);
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
  throw new UnknownTokenError([token], token);
}

/** Keeps what is made where the binding's scope says. */
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
        throw new Failure([token], (path) => new OutOfScopeError(path, token));
      };
  }
}
