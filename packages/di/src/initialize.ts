import { isIntended, warn } from '@fairlead/options';
import type { Binding, Owner } from './binding.js';
import type { InitializeOptions } from './container-interface.js';
import type { InjectionError } from './errors/injection-error.js';
import { InitializationError } from './errors/lifecycle-errors.js';
import { Failure } from './resolution/failure.js';
import { edgesOf, isEdge, reachableFrom } from './resolution/graph.js';
import { Pending } from './resolution/pending.js';
import { build } from './resolution/plan.js';
import { describeToken, type Token } from './token.js';
import { registeredIn, similarTo } from './unknown-token.js';
import { validate } from './validate.js';

/**
 * Builds singletons that are reachable from the roots.
 *
 * @throws {InjectionError} The only problem.
 * @throws {InitializationError} Several problems.
 */
export async function initialize(
  owner: Owner,
  roots: readonly Token[],
  { singletons = 'eager' }: InitializeOptions,
): Promise<void> {
  throwProblems(validate(owner, roots));
  const bindings = roots.flatMap((root) => owner.find(root));
  warnOfTokens(reachableFrom(bindings).keys());
  const failures = new Map<object, InjectionError>();
  await buildAll(reachableFrom(bindings), isBuiltFirst, failures);
  if (singletons === 'all') {
    await buildAll(reachableFrom(bindings, { lazy: false }), isSingleton, failures);
  }
  throwProblems([...failures.values()]);
}

/** The bindings that a warning was printed about. */
const reported = new WeakSet<Binding>();

/**
 * Warns about optional strings and symbols that nothing provides, but whose names resemble that of a provided
 * token, and of lists of which a registration replaced a member.
 *
 * @param bindings - Those whose parameters to check.
 */
function warnOfTokens(bindings: Iterable<Binding>): void {
  for (const binding of bindings) {
    const { owner, provider, location } = binding;
    const target = 'useClass' in provider ? provider.useClass : Reflect.get(provider, 'useFactory');
    if (reported.has(binding) || isIntended(target)) continue;
    const marked = 'useClass' in provider ? 'class' : 'factory';
    for (const { injection, parameter, targets } of edgesOf(binding).filter(isEdge)) {
      const last = injection.kind === 'all' && targets.find(({ replaces }) => replaces);
      if (last) {
        reported.add(binding);
        const problem = `${describeToken(binding.token)} (parameter ${parameter}) lists the providers of ${describeToken(last.token)}, but a registration without multi replaced those before it.`;
        const place = last.location === undefined ? '' : `\n  At: ${last.location}`;
        const fix = `register each of them with { multi: true }, or pass the ${marked} to intended().`;
        warn('FAIRLEAD_REPLACED', `${problem}${place}\n  Fix: ${fix}`);
      }
      const token = injection.optional ? injection.token() : undefined;
      if (token === undefined || owner.find(token).length > 0) continue;
      const meant = similarTo(token, registeredIn(owner));
      if (meant === undefined) continue;
      reported.add(binding);
      const [text, other, dependent] = [token, meant, binding.token].map(describeToken);
      const problem = `Nothing provides the optional ${text} (parameter ${parameter} of ${dependent}), so it is undefined. ${other} is registered.`;
      const place = location === undefined ? '' : `\n  At: ${location}`;
      const fix = `use ${other}, or pass the ${marked} to intended().`;
      warn('FAIRLEAD_OPTIONAL', `${problem}${place}\n  Fix: ${fix}`);
    }
  }
}

/** @throws A single problem as is, and several as one {@link InitializationError}. */
function throwProblems(problems: readonly InjectionError[]): void {
  if (problems.length > 1) throw new InitializationError(problems);
  for (const problem of problems) throw problem;
}

function isSingleton({ scope }: Binding): boolean {
  return scope === 'singleton';
}

function isBuiltFirst({ provider, scope, eager }: Binding): boolean {
  return eager || ('useFactory' in provider && scope === 'singleton');
}

/**
 * Builds the selected bindings, except those that need something that failed.
 *
 * @param reached - Bindings, each with the one that leads to it.
 * @param failures - Receives the error of each failure, by its origin.
 */
async function buildAll(
  reached: ReadonlyMap<Binding, Binding | undefined>,
  isSelected: (binding: Binding) => boolean,
  failures: Map<object, InjectionError>,
): Promise<void> {
  const running: Promise<() => void>[] = [];
  for (const binding of reached.keys()) {
    if (!isSelected(binding) || binding.cell.ready || needsAny(binding, failures)) continue;
    const record = (error: unknown): void => {
      if (!(error instanceof Failure)) throw error;
      if (failures.has(error.origin)) return;
      failures.set(error.origin, error.problem([...pathTo(binding, reached), ...error.path]));
    };
    try {
      const made = build(binding, undefined);
      if (!(made instanceof Pending)) continue;
      running.push(
        made.promise.then(
          () => () => {},
          (error) => () => record(error),
        ),
      );
    } catch (error) {
      record(error);
    }
  }
  // Recorded in the order of the bindings, not in that of the failures.
  for (const record of await Promise.all(running)) record();
}

/** Whether a binding cannot be built because of an earlier failure. */
function needsAny(binding: Binding, failures: ReadonlyMap<object, unknown>): boolean {
  if (failures.size === 0) return false;
  const needed = reachableFrom([binding], { lazy: false });
  return [...needed.keys()].some((each) => failures.has(each));
}

/** Returns the tokens that lead from a root to a binding, without that of the binding. */
function pathTo(binding: Binding, reached: ReadonlyMap<Binding, Binding | undefined>): Token[] {
  const before = reached.get(binding);
  return before === undefined ? [] : [...pathTo(before, reached), before.token];
}
