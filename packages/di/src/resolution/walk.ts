import type { Binding, Edge } from '../binding.js';
import { CapturedScopeError, CyclicDependencyError } from '../errors/graph-errors.js';
import type { InjectionError, Problem } from '../errors/injection-error.js';
import type { Token } from '../token.js';
import { cyclesAmong } from './cycles.js';
import { edgesOf, followEdge } from './graph.js';

/** A path to a request-scoped binding that leads through transient ones only. */
type RequestPath = readonly Token[] | undefined;

/**
 * Walks a graph of bindings depth first and reports its problems, each once, in the order in
 * which parameters are written. Constructs nothing.
 */
export class Walk {
  readonly #done = new Map<Binding, RequestPath>();
  /** The way to where the walk is. */
  readonly #open = new Set<Binding>();
  /** In the order in which they were met. */
  readonly #met: Binding[] = [];
  readonly #lazy: { binding: Binding; edge: Edge; path: readonly Token[] }[] = [];
  readonly #report: (problem: InjectionError) => void;
  readonly #trustPlans: boolean;
  #prefix: readonly Token[] = [];

  /**
   * @param report - Told of each problem; may throw to end the walk.
   * @param trustPlans - Do not walk again what was planned before.
   */
  constructor(report: (problem: InjectionError) => void, { trustPlans }: { trustPlans: boolean }) {
    this.#report = report;
    this.#trustPlans = trustPlans;
  }

  /** Walks everything that must exist before a binding can be built. */
  visit(binding: Binding): void {
    if (this.#open.has(binding)) {
      const open = [...this.#open];
      this.#report(cycleError(open.slice(open.indexOf(binding))));
      return;
    }
    if (this.#done.has(binding)) return;
    const plan = this.#trustPlans ? binding.plan : undefined;
    this.#done.set(binding, plan === undefined ? this.#enter(binding) : plan.requestPath);
  }

  /** Walks what the bindings visited so far reach through lazy dependencies only. */
  visitLazy(): void {
    // Following a lazy edge may add to the list; the loop sees those edges too.
    for (const { binding, edge, path } of this.#lazy) {
      this.#prefix = path;
      this.#step(binding, followEdge(binding.owner, edge), new Set());
    }
  }

  /** Gives what was visited, each binding after all that it needs. */
  visited(): Iterable<Binding> {
    return this.#done.keys();
  }

  /** Lists every cycle in what was visited: the walk meets each tangle, not all that is in it. */
  cycles(): CyclicDependencyError[] {
    return cyclesAmong(this.#met).map(cycleError);
  }

  #enter(binding: Binding): RequestPath {
    this.#open.add(binding);
    this.#met.push(binding);
    const seen = new Set<Binding>();
    let requestPath: RequestPath;
    for (const step of edgesOf(binding)) {
      if (typeof step !== 'function' && step.injection.kind === 'lazy') {
        this.#lazy.push({ binding, edge: step, path: this.#path() });
      } else {
        const found = this.#step(binding, step, seen);
        requestPath ??= found;
      }
    }
    this.#open.delete(binding);
    return requestPathFrom(binding, requestPath);
  }

  /** @param seen - The targets met before: two parameters with one target are one edge. */
  #step(binding: Binding, step: Edge | Problem, seen: Set<Binding>): RequestPath {
    if (typeof step === 'function') {
      this.#report(step(this.#path()));
      return undefined;
    }
    let first: RequestPath;
    for (const target of step.targets) {
      if (seen.has(target)) continue;
      seen.add(target);
      this.visit(target);
      const found = this.#done.get(target);
      if (found !== undefined && binding.scope === 'singleton') {
        this.#report(new CapturedScopeError([...this.#path(), ...found], binding.token));
      }
      first ??= found;
    }
    return first;
  }

  #path(): readonly Token[] {
    return [...this.#prefix, ...[...this.#open].map((binding) => binding.token)];
  }
}

function cycleError(cycle: readonly Binding[]): CyclicDependencyError {
  const tokens = cycle.map((binding) => binding.token);
  const [first = ''] = tokens;
  return new CyclicDependencyError([...tokens, first], first);
}

/**
 * Extends the way to a request-scoped binding by one step backwards.
 *
 * @param inner - The way from the binding's first dependency that has one.
 */
export function requestPathFrom(binding: Binding, inner: RequestPath): RequestPath {
  if (binding.scope === 'request') return [binding.token];
  if (binding.scope === 'singleton' || inner === undefined) return undefined;
  return [binding.token, ...inner];
}
