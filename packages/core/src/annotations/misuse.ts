import { descriptionOf } from './description.js';

/** Why a value handles no requests. */
export interface Misuse {
  readonly is: 'factory' | 'decorator';
  /** Such as `cors` or `@Roles`. */
  readonly name: string;
  /** An imperative sentence that begins in lower case. */
  readonly fix: string;
}

const DECORATE = 'move it above a class or a method, or to metadata of defineController()';

/**
 * Explains that a value is a factory that was not called, or a decorator, and so no middleware, handler, guard or
 * interceptor. Every place that takes one of these asks.
 *
 * @returns Undefined for all other values.
 */
export function findMisuse(value: unknown): Misuse | undefined {
  const { role, name = '' } = descriptionOf(value) ?? {};
  const [bare = name] = name.split('(');
  if (role === 'factory') return { is: 'factory', name: bare, fix: `call it: ${name}.` };
  if (role === 'decorator') return { is: 'decorator', name, fix: `${DECORATE}.` };
  if (role !== 'decoratorFactory') return undefined;
  const fix = `call it: ${name.slice(1)}. Then ${DECORATE}.`;
  return { is: 'decorator', name: bare, fix };
}
