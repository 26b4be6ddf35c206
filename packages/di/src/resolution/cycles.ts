import type { Binding } from '../binding.js';
import { edgesOf } from './graph.js';

/** Limits the list, because the number of cycles can grow exponentially with the size of the graph. */
const MAX_CYCLES = 100;

type Edges = Map<Binding, Set<Binding>>;

/**
 * Lists the simple cycles among bindings, each once.
 *
 * @param bindings - A cycle starts at the binding that comes first in this list.
 * @returns At most 100 cycles, each without its first binding repeated at the end.
 */
export function cyclesAmong(bindings: readonly Binding[]): Binding[][] {
  const cycles: Binding[][] = [];
  const forward: Edges = new Map(bindings.map((binding) => [binding, targetsOf(binding)]));
  const backward = reverse(forward);
  for (const start of bindings) {
    collect([start], sourcesOf(start, backward), forward, cycles);
    // All cycles through this binding are found, so the search continues without it.
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

/** Returns every binding from which a path leads to the target. */
function sourcesOf(target: Binding, backward: Edges): ReadonlySet<Binding> {
  const found = new Set([target]);
  // Iterating over a set also visits the elements added meanwhile.
  for (const reached of found) {
    for (const source of backward.get(reached) ?? []) {
      if (backward.has(source)) found.add(source);
    }
  }
  return found;
}

/** Adds every cycle that extends a path and returns to its start through the given sources. */
function collect(
  path: readonly Binding[],
  sources: ReadonlySet<Binding>,
  forward: Edges,
  cycles: Binding[][],
): void {
  const last = path.at(-1);
  const targets = last === undefined ? undefined : forward.get(last);
  for (const target of targets ?? []) {
    if (cycles.length >= MAX_CYCLES) return;
    if (target === path[0]) cycles.push([...path]);
    else if (sources.has(target) && !path.includes(target)) {
      collect([...path, target], sources, forward, cycles);
    }
  }
}
