import type { Binding, Edge } from '../binding.js';
import {
  CapturedScopeError,
  CyclicDependencyError,
  lazyFix,
  type Problem,
} from '../errors/injection-errors.js';
import type { Token } from '../token.js';
import { edgesOf, followEdge, isEdge, meantBy } from './graph.js';

/** Receives a problem and the path to it. It may throw to end the walk. */
type Report = (problem: Problem, path: readonly Token[]) => void;

/** A path through transient bindings to a request-scoped one. */
type RequestPath = readonly Token[] | undefined;

/**
 * Walks a graph of bindings depth-first and reports each problem once, in parameter order.
 * Constructs nothing.
 */
export class Walk {
  readonly #done = new Map<Binding, RequestPath>();
  /** The bindings on the current path. */
  readonly #open = new Set<Binding>();
  /** All bindings, in the order of the walk. */
  readonly #entered: Binding[] = [];
  readonly #lazy: { binding: Binding; edge: Edge; path: readonly Token[] }[] = [];
  readonly #report: Report;
  readonly #trustPlans: boolean;
  #prefix: readonly Token[] = [];

  /** @param trustPlans - Whether to skip bindings that have a current plan. */
  constructor(report: Report, { trustPlans = false } = {}) {
    this.#report = report;
    this.#trustPlans = trustPlans;
  }

  /** Walks a binding and its dependencies, except lazy ones. */
  visit(binding: Binding): void {
    if (this.#open.has(binding)) {
      const open = [...this.#open];
      const cycle = open.slice(open.indexOf(binding));
      this.#report(() => cycleError(cycle), this.#path());
      return;
    }
    if (this.#done.has(binding)) return;
    const plan = this.#trustPlans ? binding.known.plan : undefined;
    this.#done.set(binding, plan === undefined ? this.#enter(binding) : plan.requestPath);
  }

  /** Walks the lazy dependencies of all bindings visited so far. */
  visitLazy(): void {
    // Following a lazy edge may append others, which the loop visits too.
    for (const { binding, edge, path } of this.#lazy) {
      this.#prefix = path;
      this.#step(binding, followEdge(binding, edge), new Set());
    }
  }

  /** Returns the visited bindings, each after its dependencies. */
  visited(): Iterable<Binding> {
    return this.#done.keys();
  }

  /** Lists every cycle among the visited bindings. The walk itself reports only some of them. */
  cycles(): CyclicDependencyError[] {
    return cyclesAmong(this.#entered).map(cycleError);
  }

  #enter(binding: Binding): RequestPath {
    this.#open.add(binding);
    this.#entered.push(binding);
    const seen = new Set<Binding>();
    let requestPath: RequestPath;
    for (const step of edgesOf(binding)) {
      if (isEdge(step) && step.injection.kind === 'lazy') {
        this.#lazy.push({ binding, edge: step, path: this.#path() });
      } else {
        const found = this.#step(binding, step, seen);
        requestPath ??= found;
      }
    }
    this.#open.delete(binding);
    return requestPathFrom(binding, requestPath);
  }

  /** @param seen - The targets of earlier parameters, which are not visited twice. */
  #step(binding: Binding, step: Edge | Problem, seen: Set<Binding>): RequestPath {
    if (!isEdge(step)) {
      this.#report(step, this.#path());
      // A misspelled token must not hide the problems behind it.
      for (const target of meantBy(binding, step)) this.visit(target);
      return undefined;
    }
    let first: RequestPath;
    for (const target of step.targets) {
      if (seen.has(target)) continue;
      seen.add(target);
      this.visit(target);
      const found = this.#done.get(target);
      if (found !== undefined && binding.scope === 'singleton') {
        const { token, location } = binding;
        const report: Problem = (path) =>
          new CapturedScopeError([...path, ...found], token, location, this.#above(binding));
        this.#report(report, this.#path());
      }
      first ??= found;
    }
    return first;
  }

  /** Lists the tokens of the singletons that depend on a binding, directly or not, as far as the walk has met them. */
  #above(binding: Binding): readonly Token[] {
    const backward: Edges = new Map(this.#entered.map((each) => [each, new Set()]));
    for (const each of this.#entered) {
      for (const target of targetsOf(each)) backward.get(target)?.add(each);
    }
    const above = [...sourcesOf(binding, backward)].filter((each) => each !== binding);
    return above.flatMap(({ scope, token }) => (scope === 'singleton' ? [token] : []));
  }

  #path(): readonly Token[] {
    return [...this.#prefix, ...[...this.#open].map((binding) => binding.token)];
  }
}

function cycleError(cycle: readonly Binding[]): CyclicDependencyError {
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

/**
 * Returns the path from a binding to a request-scoped one.
 *
 * @param inner - The path from the binding's first dependency that has one.
 */
export function requestPathFrom(binding: Binding, inner: RequestPath): RequestPath {
  if (binding.scope === 'request') return [binding.token];
  if (binding.scope === 'singleton' || inner === undefined) return undefined;
  return [binding.token, ...inner];
}

/** Limits the list, because the number of cycles can grow exponentially with the size of the graph. */
const MAX_CYCLES = 100;

type Edges = Map<Binding, Set<Binding>>;

/**
 * Lists the simple cycles among bindings, each once.
 *
 * @param bindings - A cycle starts at the binding that comes first in this list.
 * @returns At most 100 cycles, each without its first binding repeated at the end.
 */
function cyclesAmong(bindings: readonly Binding[]): Binding[][] {
  const cycles: Binding[][] = [];
  const forward: Edges = new Map(bindings.map((binding) => [binding, targetsOf(binding)]));
  const backward: Edges = new Map(bindings.map((binding) => [binding, new Set()]));
  for (const [binding, targets] of forward) {
    for (const target of targets) backward.get(target)?.add(binding);
  }
  for (const start of bindings) {
    collect([start], sourcesOf(start, backward), forward, cycles);
    // All cycles through this binding are found, so the search continues without it.
    forward.delete(start);
    backward.delete(start);
  }
  return cycles;
}

function targetsOf(binding: Binding): Set<Binding> {
  const targets = edgesOf(binding).map((step) =>
    isEdge(step) ? step.targets : meantBy(binding, step),
  );
  return new Set(targets.flat());
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
