import { describeToken, isToken, type Token } from '../token.js';
import { InjectionError } from './injection-error.js';

/** What is wrong with the arguments of a call, and how to fix it. */
export interface Mistake {
  /** A sentence. */
  readonly problem: string;
  /** An imperative sentence that begins in lower case. Undefined if `problem` contains the fix. */
  readonly fix?: string;
}

/** @param start - Begins the text of each mistake. */
function describeMistakes(
  mistakes: readonly Mistake[],
  start = '',
  location: string | undefined = undefined,
): string {
  const at = location === undefined ? '' : `\n  At: ${location}`;
  const texts = mistakes.map(({ problem, fix }) =>
    fix === undefined ? start + problem + at : `${start}${problem}${at}\n  Fix: ${fix}`,
  );
  return texts.join('\n');
}

/** A provider or its options are invalid. */
export class InvalidProviderError extends InjectionError {
  readonly code = 'DI_INVALID_PROVIDER';

  /**
   * @param mistakes - At least one.
   * @param verb - What the call does with the provider. Default `register`.
   */
  constructor(token: Token, mistakes: readonly Mistake[], verb = 'register') {
    super({
      problem: describeMistakes(mistakes, `Cannot ${verb} ${describeToken(token)}: `),
      path: [token],
      token,
    });
  }
}

/** A decorator is misplaced, or its arguments are invalid. */
export class InvalidDecoratorError extends InjectionError {
  readonly code = 'INVALID_DECORATOR';

  /**
   * @param decorator - The decorator, such as `@Service()`.
   * @param place - What it decorates, such as `parameter 0 of Users`.
   * @param mistakes - At least one.
   * @param token - The decorated class.
   * @param location - Where the decorator is applied.
   */
  constructor(
    decorator: string,
    place: string,
    mistakes: readonly Mistake[],
    token: Token,
    location?: string,
  ) {
    super({
      problem: describeMistakes(mistakes, `Cannot apply ${decorator} to ${place}: `, location),
      path: [],
      token,
      location,
    });
  }
}

/** An argument of a function or of a container's method is invalid. */
export class InvalidArgumentError extends InjectionError {
  readonly code = 'DI_INVALID_ARGUMENT';

  /**
   * @param mistakes - At least one.
   * @param argument - What the caller passed.
   */
  constructor(mistakes: readonly Mistake[], argument?: unknown) {
    const token = isToken(argument) ? argument : '';
    super({ problem: describeMistakes(mistakes), path: [], token });
  }
}
