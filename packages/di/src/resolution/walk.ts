import type { Binding } from '../binding.js';
import { CapturedScopeError, CyclicDependencyError } from '../errors/graph-errors.js';
import type { InjectionError, Problem } from '../errors/injection-error.js';
import type { Token } from '../token.js';
import { cyclesAmong } from './cycles.js';
import { type Edge, edgesOf, followEdge } from './graph.js';

/** A path to a request-scoped binding that leads through transient ones only. */
type RequestPath = readonly Token[] | undefined;

/**
 * Walks a graph of bindings depth first and yields its problems, each once, in the order in
 * which parameters are written. Constructs nothing.
 */
export class Walk {
  readonly #done = new Map<Binding, RequestPath>();
  readonly #open = new Set<Binding>();
  /** In the order in which they were met. */
  readonly #met: Binding[] = [];
  readonly #lazy: { binding: Binding; edge: Edge; path: readonly Token[] }[] = [];
  readonly #trustPlans: boolean;
  #prefix: readonly Token[] = [];

  /** @param trustPlans - Do not walk again what was planned before. */
  constructor({ trustPlans }: { trustPlans: boolean }) {
    this.#trustPlans = trustPlans;
  }

  /** Walks what must exist before a binding can be built. */
  *needsOf(binding: Binding): Generator<InjectionError, void> {
    yield* this.#visit(binding);
  }

  /** Walks the same, then what is reached through lazy dependencies; lists all cycles last. */
  *everythingFrom(roots: readonly Binding[]): Generator<InjectionError, void> {
    let tangled = false;
    for (const problem of this.#reach(roots)) {
      if (problem instanceof CyclicDependencyError) tangled = true;
      else yield problem;
    }
    // The walk meets each tangle, but not every cycle in it.
    if (tangled) yield* cyclesAmong(this.#met).map(cycleError);
  }

  *#reach(roots: readonly Binding[]): Generator<InjectionError, void> {
    for (const root of roots) yield* this.#visit(root);
    // Following a lazy edge may add to the list; the loop sees those edges too.
    for (const { binding, edge, path } of this.#lazy) {
      this.#prefix = path;
      yield* this.#step(binding, followEdge(binding.owner, edge), new Set());
    }
  }

  *#visit(binding: Binding): Generator<InjectionError, void> {
    if (this.#open.has(binding)) {
      const open = [...this.#open];
      yield cycleError(open.slice(open.indexOf(binding)));
      return;
    }
    if (this.#done.has(binding)) return;
    const plan = this.#trustPlans ? binding.plan : undefined;
    this.#done.set(binding, plan === undefined ? yield* this.#enter(binding) : plan.requestPath);
  }

  *#enter(binding: Binding): Generator<InjectionError, RequestPath> {
    this.#open.add(binding);
    this.#met.push(binding);
    const seen = new Set<Binding>();
    let requestPath: RequestPath;
    for (const step of edgesOf(binding)) {
      if (typeof step !== 'function' && step.injection.kind === 'lazy') {
        this.#lazy.push({ binding, edge: step, path: this.#path() });
      } else {
        const found = yield* this.#step(binding, step, seen);
        requestPath ??= found;
      }
    }
    this.#open.delete(binding);
    return requestPathFrom(binding, requestPath);
  }

  /** @param seen - The targets met before: two parameters with one target are one edge. */
  *#step(
    binding: Binding,
    step: Edge | Problem,
    seen: Set<Binding>,
  ): Generator<InjectionError, RequestPath> {
    if (typeof step === 'function') {
      yield step(this.#path());
      return undefined;
    }
    let first: RequestPath;
    for (const target of step.targets.filter((each) => !seen.has(each))) {
      seen.add(target);
      yield* this.#visit(target);
      const found = this.#done.get(target);
      if (found !== undefined && binding.scope === 'singleton') {
        yield new CapturedScopeError([...this.#path(), ...found], binding.token);
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
