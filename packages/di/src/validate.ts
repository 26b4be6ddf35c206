import type { Owner } from './binding.js';
import { CyclicDependencyError } from './errors/graph-errors.js';
import type { InjectionError, Problem } from './errors/injection-error.js';
import { Walk } from './resolution/walk.js';
import type { Token } from './token.js';
import { unknownToken } from './unknown-token.js';

/** A problem with all paths to it. */
interface Finding {
  readonly problem: Problem;
  readonly path: readonly Token[];
  readonly otherPaths: (readonly Token[])[];
}

/**
 * Checks the graph that is reachable from the roots.
 *
 * @returns One problem for each cause, in the order of the walk, followed by all cycles.
 */
export function validate(owner: Owner, roots: readonly Token[]): InjectionError[] {
  const findings = new Findings();
  const walk = new Walk((problem, path) => findings.add(problem, path), { trustPlans: false });
  for (const root of new Set(roots)) {
    const bindings = owner.find(root);
    if (bindings.length === 0) findings.add(unknownToken(owner, root), []);
    for (const binding of bindings) walk.visit(binding);
  }
  walk.visitLazy();
  const problems = findings.list();
  const others = problems.filter((problem) => !(problem instanceof CyclicDependencyError));
  return others.length === problems.length ? others : [...others, ...walk.cycles()];
}

/** Collects problems by their cause. */
class Findings {
  readonly #all: Finding[] = [];
  readonly #byCause = new Map<string, Map<unknown, Finding>>();

  add(problem: Problem, path: readonly Token[]): void {
    const { kind, about } = problem;
    const known = kind === undefined ? undefined : this.#byCause.get(kind)?.get(about);
    if (known !== undefined) {
      known.otherPaths.push(path);
      return;
    }
    const finding: Finding = { problem, path, otherPaths: [] };
    this.#all.push(finding);
    if (kind === undefined) return;
    const sameKind = this.#byCause.get(kind) ?? new Map<unknown, Finding>();
    this.#byCause.set(kind, sameKind.set(about, finding));
  }

  list(): InjectionError[] {
    return this.#all.map(({ problem, path, otherPaths }) => problem(path, otherPaths));
  }
}
