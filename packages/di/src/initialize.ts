import { describeCaller, isIntended, warn } from '@fairlead/options';
import type { Binding, Owner } from './binding.js';
import { findMismatch } from './emitted-types.js';
import { InitializationError, type InjectionError } from './errors/injection-errors.js';
import { Failure, Pending } from './instance.js';
import { edgesOf, isEdge, pathTo, reachableFrom } from './resolution/graph.js';
import { build } from './resolution/plan.js';
import { type Class, describeParameter, describeToken, type Token } from './token.js';
import { meantInstead, registeredIn } from './unknown-token.js';
import { validate } from './validate.js';

/** Options of `container.initialize`. */
export interface InitializeOptions {
  /**
   * Which of the reachable singletons to build. `eager`: those of factories and eager classes, with
   * their dependencies. `all`: those of other classes as well, except where only lazy dependencies
   * lead to them. Default `eager`.
   */
  readonly singletons?: 'eager' | 'all';
}

/** Builds singletons that are reachable from the roots. */
export async function initialize(
  owner: Owner,
  roots: readonly Token[],
  { singletons = 'eager' }: InitializeOptions,
): Promise<void> {
  throwProblems(validate(owner, roots));
  const bindings = roots.flatMap((root) => owner.find(root));
  warnOfTokens(reachableFrom(bindings).keys());
  const failures = new Map<object, InjectionError>();
  const isSingleton = ({ scope }: Binding) => scope === 'singleton';
  const isFirst = ({ eager, provider, scope }: Binding) =>
    eager || ('useFactory' in provider && scope === 'singleton');
  await buildAll(reachableFrom(bindings), isFirst, failures);
  if (singletons === 'all') {
    await buildAll(reachableFrom(bindings, { lazy: false }), isSingleton, failures);
  }
  throwProblems([...failures.values()]);
}

/** The bindings that a warning was printed about. */
const reported = new WeakSet<Binding>();

/**
 * Warns about what is probably not injected as meant: optional strings and symbols that nothing provides, but whose
 * names resemble that of a provided token; one of several providers; lists of which a registration replaced a member;
 * promises; and providers that replaced others.
 */
function warnOfTokens(bindings: Iterable<Binding>): void {
  const suspects = [...bindings].filter((binding) => {
    const { provider } = binding;
    const target = 'useClass' in provider ? provider.useClass : Reflect.get(provider, 'useFactory');
    return !reported.has(binding) && ![target, provider].some(isIntended);
  });
  const explained = new Set(suspects.flatMap(warnOfParameters));
  for (const binding of suspects) warnOfProvider(binding, explained.has(binding));
}

/** @param location - Where the mistake is. */
function report(
  binding: Binding,
  code: string,
  problem: string,
  location: string | undefined,
  fix: string,
): void {
  reported.add(binding);
  const at = location === undefined ? '' : `\n  At: ${location}`;
  warn(code, `${problem}${at}\n  Fix: ${fix} to intended().`);
}

/** @param isExplained - Whether a warning tells that it replaced another one. */
function warnOfProvider(binding: Binding, isExplained: boolean): void {
  const { token, provider, site, overwrites } = binding;
  const isPromise = 'useValue' in provider && provider.useValue instanceof Promise;
  const isReplacing = overwrites && !isExplained && !isTest();
  if (!isReplacing && !isPromise) return;
  const name = describeToken(token);
  const location = site && describeCaller(site);
  if (isReplacing) {
    const problem = `A registration of ${name} replaced another one.`;
    const fix =
      'remove one of the two, use override() in tests, add { multi: true } to both and inject the list with @InjectAll() or all(), or pass the provider';
    report(binding, 'FAIRLEAD_REPLACED', problem, location, fix);
  }
  if (isPromise && !isIntended(provider.useValue)) {
    const problem = `The value of ${name} is a promise, so what depends on it receives the promise.`;
    const fix =
      'write { useFactory: () => promise }, whose promise initialize() awaits, or pass the provider';
    report(binding, 'FAIRLEAD_INJECTED', problem, location, fix);
  }
}

/** Tests replace providers. */
function isTest(): boolean {
  const { NODE_ENV, NODE_TEST_CONTEXT } = process.env;
  return NODE_ENV === 'test' || NODE_TEST_CONTEXT !== undefined;
}

/** Whether a provider has the value undefined, and no warning was printed about it. */
function isUndefined(binding: Binding): boolean {
  const { provider } = binding;
  if (!('useValue' in provider) || provider.useValue !== undefined) return false;
  return !reported.has(binding) && !isIntended(provider);
}

function isDisposable({ useClass: { prototype } }: { readonly useClass: Class }): boolean {
  return Symbol.dispose in prototype || Symbol.asyncDispose in prototype;
}

/** Whether each resolution of a binding creates an instance that has to be disposed. */
function isLeaking({ scope, provider }: Binding): boolean {
  return scope === 'transient' && 'useClass' in provider && isDisposable(provider);
}

/** @returns The bindings that replaced members of a list. */
function warnOfParameters(binding: Binding): readonly Binding[] {
  const { owner, provider } = binding;
  const replacing: Binding[] = [];
  const marked =
    'useClass' in provider ? 'class' : 'useFactory' in provider ? 'factory' : 'provider';
  for (const edge of edgesOf(binding).filter(isEdge)) {
    const { injection, parameter, targets } = edge;
    const describe = (verb: string, token: Token) =>
      `${describeParameter(parameter, binding.token)} ${verb} ${describeToken(token)}`;
    const last = injection.kind === 'all' && targets.find(({ replaces }) => replaces);
    if (last) {
      replacing.push(last);
      reported.add(last);
      const problem = `${describe('lists the providers of', last.token)}, but a registration without multi replaced those before it.`;
      const fix = `register each of them with { multi: true }, or pass the ${marked}`;
      // The class of a provider may be anywhere.
      report(binding, 'FAIRLEAD_REPLACED', problem, last.site && describeCaller(last.site), fix);
    }
    const token = injection.token();
    if (token === undefined) continue;
    const mismatch = findMismatch(binding, edge);
    if (mismatch !== undefined) {
      const fix = `${mismatch.fix}, or pass the ${marked}`;
      report(binding, 'FAIRLEAD_INJECTED', mismatch.problem, binding.location, fix);
    }
    const { length } = owner.find(token);
    const leaked = 'useClass' in provider && !isDisposable(provider) && targets.find(isLeaking);
    if (leaked) {
      const other = describeToken(leaked.token);
      const problem = `${describe('receives a new instance of', leaked.token)}, which nothing disposes: the container disposes no transients, and its owner has no [Symbol.dispose]() or [Symbol.asyncDispose]().`;
      const fix = `register ${other} with the scope request or singleton, dispose it in the owner, or pass the ${marked}`;
      report(binding, 'FAIRLEAD_INJECTED', problem, binding.location, fix);
    }
    if (injection.kind !== 'all' && length > 1 && !owner.tree.overrides.has(token)) {
      const problem = `${describe(`receives only the last of the ${length} providers of`, token)}.`;
      const fix = `use @InjectAll() or all() for a list of them, or pass the ${marked}`;
      report(binding, 'FAIRLEAD_INJECTED', problem, binding.location, fix);
    }
    const [target] = injection.optional || injection.kind === 'all' ? [] : targets;
    if (target !== undefined && isUndefined(target)) {
      const problem = `${describe('needs', token)}, whose value is undefined.`;
      const fix =
        'set the value, such as an environment variable, make the parameter optional, or pass the provider';
      report(target, 'FAIRLEAD_INJECTED', problem, target.site && describeCaller(target.site), fix);
    }
    const meant = injection.optional && length === 0 && meantInstead(token, registeredIn(owner));
    if (!meant) continue;
    const [text, other] = [token, meant].map(describeToken);
    // Two tokens may have the same name.
    const another = text === other ? `Another token ${other}` : other;
    const problem = `Nothing provides the optional ${text} (${describeParameter(parameter, binding.token)}), so it is undefined. ${another} is registered.`;
    const use = text === other ? 'create the token once, and import it' : `use ${other}`;
    const fix = `${use}, or pass the ${marked}`;
    report(binding, 'FAIRLEAD_OPTIONAL', problem, binding.location, fix);
  }
  return replacing;
}

/** @throws A single problem as is, and several as one {@link InitializationError}. */
function throwProblems(problems: readonly InjectionError[]): void {
  if (problems.length > 1) throw new InitializationError(problems);
  for (const problem of problems) throw problem;
}

/**
 * Builds the selected bindings, except those that need something that failed. Adds the error of each failure to
 * `failures`, by its origin.
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
      failures.set(
        error.origin,
        error.problem([...pathTo(reached.get(binding), reached), ...error.path]),
      );
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
