import type { Binding, Owner } from './binding.js';
import { UnknownTokenError } from './errors/graph-errors.js';
import type { InjectionError } from './errors/injection-error.js';
import { Walk } from './resolution/walk.js';
import type { Token } from './token.js';

/** Reports every problem that is reached from some tokens: unknown roots first. */
export function validate(owner: Owner, roots: readonly Token[]): InjectionError[] {
  const unknown = roots.filter((root) => owner.find(root).length === 0);
  const known: Binding[] = roots.flatMap((root) => owner.find(root));
  return [
    ...[...new Set(unknown)].map((root) => new UnknownTokenError([root], root)),
    ...new Walk({ trustPlans: false }).everythingFrom(known),
  ];
}
