import type { Owner } from './binding.js';
import {
  CyclicDependencyError,
  type InjectionError,
  type Problem,
} from './errors/injection-errors.js';
import { meantBy } from './resolution/graph.js';
import { Walk } from './resolution/walk.js';
import type { Token } from './token.js';
import { unknownToken } from './unknown-token.js';

/** A problem with all paths to it. */
interface Finding {
  readonly problem: Problem;
  readonly path: readonly Token[];
  readonly otherPaths: (readonly Token[])[];
}

/** Lists one problem for each cause, in the order of the walk, followed by all cycles. */
export function validate(owner: Owner, roots: readonly Token[]): InjectionError[] {
  const findings: Finding[] = [];
  const add = (problem: Problem, path: readonly Token[]): void => {
    const { kind, about } = problem;
    const isSame = ({ problem: other }: Finding) => other.kind === kind && other.about === about;
    const known = kind === undefined ? undefined : findings.find(isSame);
    if (known === undefined) findings.push({ problem, path, otherPaths: [] });
    else known.otherPaths.push(path);
  };
  const walk = new Walk(add);
  for (const root of new Set(roots)) {
    const bindings = owner.find(root);
    const problem = bindings.length === 0 ? unknownToken(owner, root) : undefined;
    if (problem !== undefined) add(problem, []);
    const meant = problem === undefined ? bindings : meantBy({ owner }, problem);
    for (const binding of meant) walk.visit(binding);
  }
  walk.visitLazy();
  const problems = findings.map(({ problem, path, otherPaths }) => problem(path, otherPaths));
  const others = problems.filter((problem) => !(problem instanceof CyclicDependencyError));
  return others.length === problems.length ? others : [...others, ...walk.cycles()];
}
