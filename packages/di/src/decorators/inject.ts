import { captureCallSite } from '@fairlead/options';
import { all, type Dependency, findTokenMistake, Injection } from '../dependency.js';
import type { Mistake } from '../errors/injection-errors.js';
import { markParameter, type ParameterMark, parameterMarks } from '../metadata.js';
import type { CheckedInject } from '../static-inject.js';
import type { Constructor, Token } from '../token.js';
import { isDecorated, isOnConstructorParameter, missingParentheses, misuse } from './misuse.js';

/** A decorator that is allowed on constructor parameters only. */
export type InjectDecorator = (target: Constructor, key: undefined, index: number) => void;

/**
 * Injects a dependency into a constructor parameter, regardless of the parameter's type.
 *
 * @param dependency - A token, or the result of `lazy`, `optional` or `all`.
 * @throws {InvalidDecoratorError} When it does not decorate a constructor parameter, or `dependency`
 *   is not one.
 */
export function Inject<D extends Dependency>(dependency: D & CheckedInject<D>): InjectDecorator;
export function Inject(...args: readonly [dependency?: Dependency]): InjectDecorator {
  const [dependency] = args;
  const mistake =
    dependency instanceof Injection ? findCountMistake(args, 1) : findArgumentMistake(args);
  return decorator('Inject(token)', args, mistake, () => ({ inject: { dependency } }));
}

/**
 * Injects an array with one instance for each provider of a token, in registration order.
 *
 * @throws {InvalidDecoratorError} When it does not decorate a constructor parameter, or `token` is not
 *   one.
 */
export function InjectAll<T extends Token>(token: T & CheckedInject<T>): InjectDecorator;
export function InjectAll(...args: readonly [token: Token]): InjectDecorator {
  const [token] = args;
  const createMark = () => ({ inject: { dependency: all(token) } });
  return decorator('InjectAll(token)', args, findArgumentMistake(args), createMark);
}

/**
 * Makes a constructor parameter optional. It receives `undefined` when nothing provides its
 * token, or an empty array with {@link InjectAll}.
 *
 * @throws {InvalidDecoratorError} When it does not decorate a constructor parameter, or has arguments.
 */
export function Optional(): InjectDecorator;
export function Optional(...args: readonly unknown[]): InjectDecorator {
  return decorator('Optional()', args, findCountMistake(args, 0), () => ({ optional: true }));
}

/** @param call - A correct call of the decorator, without the @. */
function decorator(
  call: string,
  args: readonly unknown[],
  mistake: Mistake | undefined,
  createMark: () => ParameterMark,
): InjectDecorator {
  const [name = ''] = call.split('(');
  const site = captureCallSite(decorator);
  if (isDecorated(args)) throw misuse(`@${name}`, args, missingParentheses(`@${call}`), site);
  return (...decorated) => {
    const [target, , index] = decorated;
    const found = isOnConstructorParameter(decorated)
      ? (mistake ?? findConflict(name, target, index))
      : MISPLACED;
    if (found !== undefined) throw misuse(`@${name}()`, decorated, found, site);
    markParameter(target, index, createMark());
  };
}

const MISPLACED: Mistake = {
  problem: 'only parameters of a constructor are injected.',
  fix: 'move it to a parameter of the constructor.',
};

/** The container reads only `static inject` of a class that has it, and one token for each parameter. */
function findConflict(name: string, target: Constructor, index: number): Mistake | undefined {
  if (Object.hasOwn(target, 'inject')) {
    const problem = '`static inject` of the class lists its dependencies.';
    return { problem, fix: 'remove the decorator, or `static inject`.' };
  }
  const hasToken = parameterMarks(target).get(index)?.inject !== undefined;
  if (name === 'Optional' || !hasToken) return undefined;
  return { problem: 'the parameter has another @Inject() or @InjectAll().', fix: 'keep one.' };
}

/** An undefined token is not a mistake yet: the container reports the import cycle behind it. */
function findArgumentMistake(args: readonly unknown[]): Mistake | undefined {
  const [token] = args;
  if (args.length === 0) {
    return { problem: 'the token is missing.', fix: 'pass the token of the dependency.' };
  }
  const mistake = token === undefined ? undefined : findTokenMistake(token);
  return mistake ?? findCountMistake(args, 1);
}

function findCountMistake(args: readonly unknown[], count: 0 | 1): Mistake | undefined {
  if (args.length <= count) return undefined;
  return count === 0
    ? { problem: 'it takes no arguments.', fix: 'write @Optional(), next to @Inject(token).' }
    : { problem: 'it takes one argument.', fix: 'remove the others.' };
}
