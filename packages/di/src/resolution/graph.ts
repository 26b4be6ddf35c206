import type { Binding, Edge } from '../binding.js';
import { InvalidProviderError, type Problem, withCause } from '../errors/injection-errors.js';
import { UndefinedTypeError } from '../errors/metadata-errors.js';
import { parametersOf } from '../parameters.js';
import { describeEagerScope } from '../provider.js';
import type { Token } from '../token.js';
import { registeredIn, similarTo, unknownToken } from '../unknown-token.js';

/** Lists the edge of each parameter of a binding, or the problem that prevents it. */
export function edgesOf(binding: Binding): readonly (Edge | Problem)[] {
  const { known } = binding;
  if (known.edges !== undefined) return known.edges;
  const steps = parametersOf(binding.provider).map((injection, parameter) => {
    if (typeof injection === 'function') return injection;
    const edge = { injection, parameter, targets: [] };
    return injection.kind === 'lazy' ? edge : followEdge(binding, edge);
  });
  const contradiction = findContradiction(binding);
  if (contradiction !== undefined) return [contradiction, ...steps];
  // A decorator that runs later can solve a problem without a registration, so cache edges only.
  if (steps.every(isEdge)) known.edges = steps;
  return steps;
}

/** Finds a class that is eager and has another scope than `singleton`, by its decorator and its statics. */
function findContradiction({ eager, scope, provider }: Binding): Problem | undefined {
  if (!eager || scope === 'singleton' || !('useClass' in provider)) return undefined;
  const { useClass } = provider;
  const create: Problem = (path) =>
    new InvalidProviderError(useClass, [describeEagerScope(scope)], 'build', path);
  return withCause('statics', useClass, create);
}

/** Whether a parameter has no problem. */
export function isEdge(step: Edge | Problem): step is Edge {
  return typeof step !== 'function';
}

/** Returns the binding that the author of a misspelled token probably meant, if any. */
export function meantBy({ owner }: Pick<Binding, 'owner'>, { kind, about }: Problem): Binding[] {
  const meant = kind === 'unknown' ? similarTo(about, registeredIn(owner)) : undefined;
  return meant === undefined ? [] : owner.find(meant).slice(-1);
}

/** Finds the targets of an edge. Reads the token of a lazy edge for the first time. */
export function followEdge(binding: Binding, { injection, parameter }: Edge): Edge | Problem {
  const token = injection.token();
  const { owner } = binding;
  if (token === undefined) {
    const receiver = injection.kind === 'one' ? 'optional()' : `${injection.kind}()`;
    const { location, provider } = binding;
    const target = 'useClass' in provider ? provider.useClass : binding.token;
    const details = { location, isFactory: 'useFactory' in provider };
    return (path) => new UndefinedTypeError(path, target, parameter, receiver, details);
  }
  const found = owner.find(token);
  if (found.length === 0 && !injection.optional) {
    return unknownToken(owner, token, parameter, binding);
  }
  return { injection, parameter, targets: injection.kind === 'all' ? found : found.slice(-1) };
}

/**
 * Collects every binding that is reachable from the roots.
 *
 * @param options - Whether to follow lazy dependencies.
 * @returns Each binding with the one that leads to it, or with undefined for a root.
 */
export function reachableFrom(
  roots: readonly Binding[],
  { lazy = true }: { readonly lazy?: boolean } = {},
): ReadonlyMap<Binding, Binding | undefined> {
  const reached = new Map<Binding, Binding | undefined>(roots.map((root) => [root, undefined]));
  // Iterating over a map also visits the entries added meanwhile.
  for (const binding of reached.keys()) {
    for (const step of edgesOf(binding)) {
      const edge = followIf(lazy, binding, step);
      if (!isEdge(edge)) continue;
      for (const target of edge.targets) if (!reached.has(target)) reached.set(target, binding);
    }
  }
  return reached;
}

function followIf(lazy: boolean, binding: Binding, step: Edge | Problem): Edge | Problem {
  return lazy && isEdge(step) && step.injection.kind === 'lazy' ? followEdge(binding, step) : step;
}

/**
 * Returns the tokens from a root to a binding.
 *
 * @param reached - Each binding with the one that leads to it, or with undefined for a root.
 */
export function pathTo(
  binding: Binding | undefined,
  reached: ReadonlyMap<Binding, Binding | undefined>,
): Token[] {
  return binding === undefined ? [] : [...pathTo(reached.get(binding), reached), binding.token];
}

/** The targets of each binding, or its sources. */
export type Edges = Map<Binding, Set<Binding>>;

/** Returns the bindings that a binding needs, or probably means. */
export function targetsOf(binding: Binding, { lazy = false } = {}): Set<Binding> {
  const targets = edgesOf(binding)
    .map((step) => followIf(lazy, binding, step))
    .map((step) => (isEdge(step) ? step.targets : meantBy(binding, step)));
  return new Set(targets.flat());
}

/** Returns the edges from each target back to its sources, among the bindings that have edges. */
export function reversed(forward: Edges): Edges {
  const backward: Edges = new Map([...forward.keys()].map((binding) => [binding, new Set()]));
  for (const [binding, targets] of forward) {
    for (const target of targets) backward.get(target)?.add(binding);
  }
  return backward;
}

/** Returns every binding from which a path leads to the target. */
export function sourcesOf(target: Binding, backward: Edges): ReadonlySet<Binding> {
  const found = new Set([target]);
  // Iterating over a set also visits the elements added meanwhile.
  for (const reached of found) {
    for (const source of backward.get(reached) ?? []) {
      if (backward.has(source)) found.add(source);
    }
  }
  return found;
}
