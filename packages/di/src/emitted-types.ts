import { isClass } from '@fairlead/options';
import type { Binding, Edge } from './binding.js';
import { parameterTypes } from './metadata.js';
import { type Class, describeParameter, describeToken } from './token.js';

/** What is wrong with a parameter, and how to correct it. */
interface Mismatch {
  readonly problem: string;
  readonly fix: string;
}

/** Finds a parameter whose type, as the compiler emitted it, is a class that its decorator does not inject. */
export function findMismatch(binding: Binding, edge: Edge): Mismatch | undefined {
  const { injection, parameter, targets } = edge;
  const type = emittedType(binding, parameter);
  const token = injection.token();
  if (type === undefined || token === undefined) return undefined;
  const name = describeParameter(parameter, binding.token);
  const [own, injected] = [describeToken(type), describeToken(token)];
  if (injection.kind === 'lazy') {
    const problem = `${name} receives a handle whose value is ${injected}, but its type is ${own}.`;
    return { problem, fix: `write Lazy<${injected}>, and read its value` };
  }
  if (injection.kind === 'all') {
    const problem = `${name} receives a list of the providers of ${injected}, but its type is ${own}.`;
    return { problem, fix: 'write the type of a list' };
  }
  const [target] = targets;
  const provided = target === undefined ? undefined : providedBy(target);
  const { owner } = binding;
  // To look for an override would count as its use.
  if (provided === undefined || owner.tree.overrides.has(type)) return undefined;
  const other = owner.find(type).map(providedBy).at(-1);
  // A class without a provider may be an interface, which another class implements.
  if (other === undefined) return undefined;
  if (isRelated(provided, type) || isRelated(provided, other) || implementsAll(provided, type))
    return undefined;
  const problem = `${name} receives ${describeToken(provided)}, but its type is ${own}, which is another class.`;
  return { problem, fix: `write @Inject(${own})` };
}

/** Types that say nothing about what a parameter receives. */
const GENERAL: ReadonlySet<unknown> = new Set([Object, Function, Array]);

/** Returns the class that the compiler emitted for a parameter of the constructor, or for that of its base class. */
function emittedType({ provider }: Binding, parameter: number): Class | undefined {
  let target: unknown = 'useClass' in provider ? provider.useClass : undefined;
  for (; typeof target === 'function'; target = Object.getPrototypeOf(target)) {
    if (Object.hasOwn(target, 'inject')) return undefined;
    const type = parameterTypes(target as Class)?.[parameter];
    if (type === undefined) continue;
    return isClass(type) && !GENERAL.has(type) ? (type as Class) : undefined;
  }
  return undefined;
}

/** Returns the class of the instances of a binding, if it has one. */
function providedBy({ provider }: Binding): Class | undefined {
  return 'useClass' in provider ? provider.useClass : undefined;
}

function isRelated(one: Class, other: Class): boolean {
  return one === other || one.prototype instanceof other || other.prototype instanceof one;
}

/** Whether a class has all methods of another one, and there are some. */
function implementsAll(target: Class, type: Class): boolean {
  const methods = Object.getOwnPropertyNames(type.prototype).filter(
    (name) => name !== 'constructor',
  );
  return methods.length > 0 && methods.every((name) => name in target.prototype);
}
