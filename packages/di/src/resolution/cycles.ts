import type { Binding } from '../binding.js';
import { CyclicDependencyError, lazyFix } from '../errors/injection-errors.js';
import { type Edges, reversed, sourcesOf, targetsOf } from './graph.js';

export function cycleError(cycle: readonly Binding[]): CyclicDependencyError {
  const tokens = cycle.map((binding) => binding.token);
  const [first = ''] = tokens;
  const location = cycle.map((binding) => binding.location).find(Boolean);
  return new CyclicDependencyError([...tokens, first], first, { location, fix: cycleFix(cycle) });
}

/** Only the parameters of classes and factories can be lazy. */
function cycleFix(cycle: readonly Binding[]): string {
  const classes = cycle.flatMap(({ provider }) =>
    'useClass' in provider ? [provider.useClass] : [],
  );
  if (classes.length > 0) return lazyFix(classes);
  return cycle.some(({ provider }) => 'useFactory' in provider)
    ? 'move what both sides need into a third provider, or make one side lazy with ' +
        '`inject: [lazy(() => token)]` and read `value` after the factory has returned.'
    : 'register one of the tokens with { useValue }, { useClass } or { useFactory }. These are all aliases.';
}

/** Limits the list, because the number of cycles can grow exponentially with the size of the graph. */
const MAX_CYCLES = 100;

/**
 * Lists the simple cycles among bindings, each once.
 *
 * @param bindings - A cycle starts at the binding that comes first in this list.
 * @returns At most 100 cycles, each without its first binding repeated at the end.
 */
export function cyclesAmong(bindings: readonly Binding[]): Binding[][] {
  const cycles: Binding[][] = [];
  const forward: Edges = new Map(bindings.map((binding) => [binding, targetsOf(binding)]));
  const backward = reversed(forward);
  for (const start of bindings) {
    collect([start], sourcesOf(start, backward), forward, cycles);
    // All cycles through this binding are found, so the search continues without it.
    forward.delete(start);
    backward.delete(start);
  }
  return cycles;
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
