import type { Binding, Edge } from '../binding.js';
import {
  CapturedScopeError,
  CyclicDependencyError,
  type Problem,
} from '../errors/injection-errors.js';
import type { Token } from '../token.js';
import { cycleError, cyclesAmong } from './cycles.js';
import { edgesOf, followEdge, isEdge, meantBy, reversed, sourcesOf, targetsOf } from './graph.js';

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
    const forward = new Map(this.#entered.map((each) => [each, targetsOf(each)]));
    const above = [...sourcesOf(binding, reversed(forward))].filter((each) => each !== binding);
    return above.flatMap(({ scope, token }) => (scope === 'singleton' ? [token] : []));
  }

  #path(): readonly Token[] {
    return [...this.#prefix, ...[...this.#open].map((binding) => binding.token)];
  }
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
