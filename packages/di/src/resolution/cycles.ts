import type { Binding } from '../binding.js';
import { edgesOf } from './graph.js';

/** The number of cycles can grow exponentially with its size. */
const MOST_CYCLES = 100;

type Edges = Map<Binding, Set<Binding>>;

/**
 * Lists the cycles among bindings, each once; none passes a binding twice.
 *
 * @param bindings - Earlier ones are where a cycle begins.
 * @returns At most 100 cycles, each without its first binding repeated at the end.
 */
export function cyclesAmong(bindings: readonly Binding[]): Binding[][] {
  const cycles: Binding[][] = [];
  const forward: Edges = new Map(bindings.map((binding) => [binding, targetsOf(binding)]));
  const backward = reverse(forward);
  for (const start of bindings) {
    collect([start], waysBack(start, backward), forward, cycles);
    // All cycles through it are known now: go on without it.
    forward.delete(start);
    backward.delete(start);
  }
  return cycles;
}

function targetsOf(binding: Binding): Set<Binding> {
  const edges = edgesOf(binding).filter((edge) => typeof edge !== 'function');
  return new Set(edges.flatMap((edge) => edge.targets));
}

function reverse(forward: Edges): Edges {
  const backward: Edges = new Map([...forward.keys()].map((binding) => [binding, new Set()]));
  for (const [binding, targets] of forward) {
    for (const target of targets) backward.get(target)?.add(binding);
  }
  return backward;
}

/** The bindings that lead to a goal. */
function waysBack(goal: Binding, backward: Edges): ReadonlySet<Binding> {
  const found = new Set([goal]);
  // A set that grows while it is iterated yields what was added.
  for (const known of found) {
    for (const source of backward.get(known) ?? []) {
      if (backward.has(source)) found.add(source);
    }
  }
  return found;
}

/** Extends a path in every way that leads back to its start. */
function collect(
  path: readonly Binding[],
  back: ReadonlySet<Binding>,
  forward: Edges,
  cycles: Binding[][],
): void {
  const last = path.at(-1);
  const targets = last === undefined ? undefined : forward.get(last);
  for (const target of targets ?? []) {
    if (cycles.length >= MOST_CYCLES) return;
    if (target === path[0]) cycles.push([...path]);
    else if (back.has(target) && !path.includes(target)) {
      collect([...path, target], back, forward, cycles);
    }
  }
}
