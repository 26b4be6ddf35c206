import { describePath, type Token } from '../token.js';

/** What an {@link InjectionError} is made of. */
export interface InjectionErrorInit {
  /** What is wrong and where, as one sentence. */
  readonly problem: string;
  /** What to do about it. */
  readonly fix: string;
  /** From what was asked for to where it went wrong. */
  readonly path: readonly Token[];
  /** The token that the problem is about. */
  readonly token: Token;
  /** What a constructor or factory has thrown. */
  readonly cause?: unknown;
}

/** Base of every error of the container. The message says what, where, and what to do. */
export abstract class InjectionError extends Error {
  /** Stable, upper-snake, begins with `DI_`. */
  abstract readonly code: string;
  /** From what was asked for to where it went wrong. */
  readonly path: readonly Token[];
  /** The token that the problem is about. */
  readonly token: Token;

  constructor({ problem, fix, path, token, ...rest }: InjectionErrorInit) {
    super(`${problem}\n  Path: ${describePath(path)}\n  Fix: ${fix}`, rest);
    this.name = new.target.name;
    this.path = Object.freeze([...path]);
    this.token = token;
  }
}

/** A problem whose path is not known yet: the one who knows it makes the error. */
export type Problem = (path: readonly Token[]) => InjectionError;
