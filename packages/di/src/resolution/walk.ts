import type { Binding, Edge } from '../binding.js';
import { CapturedScopeError, CyclicDependencyError } from '../errors/graph-errors.js';
import type { Problem } from '../errors/injection-error.js';
import type { Token } from '../token.js';
import { cyclesAmong } from './cycles.js';
import { edgesOf, followEdge } from './graph.js';

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

  /**
   * @param report - Called with each problem.
   * @param trustPlans - Whether to skip bindings that have a current plan.
   */
  constructor(report: Report, { trustPlans }: { trustPlans: boolean }) {
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
    const plan = this.#trustPlans ? binding.plan : undefined;
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

  /** @param seen - The targets of earlier parameters, which are not visited twice. */
  #step(binding: Binding, step: Edge | Problem, seen: Set<Binding>): RequestPath {
    if (typeof step === 'function') {
      this.#report(step, this.#path());
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
          new CapturedScopeError([...path, ...found], token, location);
        this.#report(report, this.#path());
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
  const location = cycle.map((binding) => binding.location).find(Boolean);
  return new CyclicDependencyError([...tokens, first], first, { location, ...cycleFix(cycle) });
}

/** Only the parameters of classes and factories can be lazy. */
function cycleFix(cycle: readonly Binding[]): { readonly fix?: string } {
  if (cycle.some(({ provider }) => 'useClass' in provider)) return {};
  if (cycle.some(({ provider }) => 'useFactory' in provider)) {
    return {
      fix:
        'move what both sides need into a third provider, or make one side lazy with ' +
        '`inject: [lazy(() => token)]` and read `value` after the factory has returned.',
    };
  }
  return {
    fix: 'register one of the tokens with { useValue }, { useClass } or { useFactory }. These are all aliases.',
  };
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
