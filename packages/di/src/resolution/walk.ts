import type { Binding, Edge } from '../binding.js';
import {
  CapturedScopeError,
  CyclicDependencyError,
  type Problem,
} from '../errors/injection-errors.js';
import { hasInjectNames, type Token } from '../token.js';
import { cycleError, cyclesAmong } from './cycles.js';
import {
  type Edges,
  edgesOf,
  followEdge,
  isEdge,
  meantBy,
  pathTo,
  reversed,
  sourcesOf,
  targetsOf,
} from './graph.js';

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
  /** All bindings, in the order of the walk, each with the one that leads to it, or with undefined for a root. */
  readonly #entered = new Map<Binding, Binding | undefined>();
  readonly #lazy: { binding: Binding; edge: Edge; seen: Set<Binding> }[] = [];
  readonly #report: Report;
  readonly #trustPlans: boolean;

  /** @param trustPlans - Whether to skip bindings that have a current plan. */
  constructor(report: Report, { trustPlans = false } = {}) {
    this.#report = report;
    this.#trustPlans = trustPlans;
  }

  /**
   * Walks a binding and its dependencies, except lazy ones.
   *
   * @param from - The binding that leads to it; undefined for a root.
   */
  visit(binding: Binding, from?: Binding): void {
    if (this.#open.has(binding)) {
      const open = [...this.#open];
      const cycle = open.slice(open.indexOf(binding));
      this.#report(() => cycleError(cycle), pathTo(from, this.#entered));
      return;
    }
    if (this.#done.has(binding)) return;
    const plan = this.#trustPlans ? binding.known.plan : undefined;
    this.#done.set(binding, plan === undefined ? this.#enter(binding, from) : plan.requestPath);
  }

  /** Walks the lazy dependencies of all bindings visited so far. */
  visitLazy(): void {
    const transients = new Map<Binding, readonly Token[]>();
    // Following a lazy edge may append others, which the loop visits too.
    for (const { binding, edge, seen } of this.#lazy) {
      const found = this.#step(binding, followEdge(binding, edge), seen);
      const isFirst = binding.scope === 'transient' && !transients.has(binding);
      if (found !== undefined && isFirst) transients.set(binding, found);
    }
    for (const [binding, found] of transients) this.#reportHolders(binding, found);
  }

  /** Returns the visited bindings, each after its dependencies. */
  visited(): Iterable<Binding> {
    return this.#done.keys();
  }

  /** Lists every cycle among the visited bindings. The walk itself reports only some of them. */
  cycles(): CyclicDependencyError[] {
    return cyclesAmong([...this.#entered.keys()]).map(cycleError);
  }

  #enter(binding: Binding, from: Binding | undefined): RequestPath {
    this.#open.add(binding);
    this.#entered.set(binding, from);
    const seen = new Set<Binding>();
    let requestPath: RequestPath;
    for (const step of edgesOf(binding)) {
      if (isEdge(step) && step.injection.kind === 'lazy') {
        this.#lazy.push({ binding, edge: step, seen });
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
      this.#report(step, pathTo(binding, this.#entered));
      // A misspelled token must not hide the problems behind it.
      for (const target of meantBy(binding, step)) this.visit(target, binding);
      return undefined;
    }
    let first: RequestPath;
    for (const target of step.targets) {
      if (seen.has(target)) continue;
      seen.add(target);
      this.visit(target, binding);
      const found = this.#done.get(target);
      if (found !== undefined && binding.scope === 'singleton') this.#reportCapture(binding, found);
      first ??= found;
    }
    return first;
  }

  /** @param found - The path from a dependency of the singleton to a request-scoped binding. */
  #reportCapture(singleton: Binding, found: readonly Token[]): void {
    const { token, location, provider } = singleton;
    const isClass = 'useClass' in provider && !hasInjectNames(provider.useClass);
    const report: Problem = (path) =>
      new CapturedScopeError([...path, ...found], token, location, this.#above(singleton), isClass);
    this.#report(report, pathTo(singleton, this.#entered));
  }

  /** Reports the singletons that hold a transient with a lazy dependency, which would be resolved without a scope. */
  #reportHolders(transient: Binding, found: readonly Token[]): void {
    const sources = reversed(this.#edges());
    const paths = new Map([[transient, found]]);
    // Iterating over a map also visits the entries added meanwhile.
    for (const [reached, path] of paths) {
      if (reached.scope === 'singleton') this.#reportCapture(reached, path);
      if (reached.scope !== 'transient') continue;
      for (const source of sources.get(reached) ?? []) {
        if (!paths.has(source)) paths.set(source, [reached.token, ...path]);
      }
    }
  }

  /** Lists the tokens of the singletons that depend on a binding, directly or not, as far as the walk has met them. */
  #above(binding: Binding): readonly Token[] {
    const above = [...sourcesOf(binding, reversed(this.#edges()))].filter(
      (each) => each !== binding,
    );
    return above.flatMap(({ scope, token }) => (scope === 'singleton' ? [token] : []));
  }

  #edges(): Edges {
    const bindings = [...this.#entered.keys()];
    return new Map(bindings.map((binding) => [binding, targetsOf(binding, { lazy: true })]));
  }
}

/**
 * Returns the path from a binding to a request-scoped one.
 *
 * @param inner - The path from the binding's first dependency that has one.
 */
export function requestPathFrom(binding: Binding, inner: RequestPath): RequestPath {
  // The problem of an eager one is that it is eager.
  if (binding.scope === 'request') return binding.eager ? undefined : [binding.token];
  if (binding.scope === 'singleton' || inner === undefined) return undefined;
  return [binding.token, ...inner];
}
