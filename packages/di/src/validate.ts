import type { Owner } from './binding.js';
import { CyclicDependencyError, UnknownTokenError } from './errors/graph-errors.js';
import type { InjectionError } from './errors/injection-error.js';
import { Walk } from './resolution/walk.js';
import type { Token } from './token.js';

/**
 * Checks the graph that is reachable from the roots.
 *
 * @returns Problems in the order of the walk, followed by all cycles.
 */
export function validate(owner: Owner, roots: readonly Token[]): InjectionError[] {
  const problems: InjectionError[] = [];
  const walk = new Walk((problem) => problems.push(problem), { trustPlans: false });
  for (const root of new Set(roots)) {
    const bindings = owner.find(root);
    if (bindings.length === 0) problems.push(new UnknownTokenError([root], root));
    for (const binding of bindings) walk.visit(binding);
  }
  walk.visitLazy();
  const others = problems.filter((problem) => !(problem instanceof CyclicDependencyError));
  return others.length === problems.length ? others : [...others, ...walk.cycles()];
}
