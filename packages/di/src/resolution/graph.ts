import type { Binding, Edge, Owner } from '../binding.js';
import { UnknownTokenError } from '../errors/graph-errors.js';
import type { Problem } from '../errors/injection-error.js';
import { UndefinedTypeError } from '../errors/metadata-errors.js';
import { parametersOf } from './parameters.js';

/** Lists the edge of each parameter of a binding, or the problem that prevents it. */
export function edgesOf(binding: Binding): readonly (Edge | Problem)[] {
  if (binding.edges !== undefined) return binding.edges;
  const steps = parametersOf(binding.provider).map((injection, parameter) => {
    if (typeof injection === 'function') return injection;
    const edge = { injection, parameter, targets: [] };
    return injection.kind === 'lazy' ? edge : followEdge(binding.owner, edge);
  });
  // A decorator that runs later can solve a problem without a registration, so cache edges only.
  if (steps.every(isEdge)) binding.edges = steps;
  return steps;
}

function isEdge(step: Edge | Problem): step is Edge {
  return typeof step !== 'function';
}

/** Finds the targets of an edge. Reads the token of a lazy edge for the first time. */
export function followEdge(owner: Owner, { injection, parameter }: Edge): Edge | Problem {
  const token = injection.token();
  if (token === undefined) {
    return (path) => new UndefinedTypeError(path, path.at(-1) ?? '', parameter);
  }
  const found = owner.find(token);
  if (found.length === 0 && !injection.optional) {
    return (path) => new UnknownTokenError([...path, token], token, parameter);
  }
  return { injection, parameter, targets: injection.kind === 'all' ? found : found.slice(-1) };
}

/** Collects every binding that is reachable from the roots, also through lazy dependencies. */
export function reachableFrom(roots: readonly Binding[]): ReadonlySet<Binding> {
  const reached = new Set(roots);
  // Iterating over a set also visits the elements added meanwhile.
  for (const binding of reached) {
    for (const step of edgesOf(binding)) {
      const edge =
        isEdge(step) && step.injection.kind === 'lazy' ? followEdge(binding.owner, step) : step;
      if (isEdge(edge)) for (const target of edge.targets) reached.add(target);
    }
  }
  return reached;
}
