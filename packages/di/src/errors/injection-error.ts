import { describePath, type Token } from '../token.js';

/** The parts of an {@link InjectionError}. */
export interface InjectionErrorInit {
  /** A sentence that states what failed and where. */
  readonly problem: string;
  /** How to fix it, as an imperative. Omitted if `problem` says so. */
  readonly fix?: string;
  /** The tokens from the resolved one to the one that failed. */
  readonly path: readonly Token[];
  /** The token that the problem is about. */
  readonly token: Token;
  /** The value that a constructor or factory threw. */
  readonly cause?: unknown;
}

/** Base class of all container errors. The message states the problem, the path and the fix. */
export abstract class InjectionError extends Error {
  /** A stable identifier in upper snake case, which starts with `DI_`. */
  abstract readonly code: string;
  /** The tokens from the resolved one to the one that failed. */
  readonly path: readonly Token[];
  /** The token that the problem is about. */
  readonly token: Token;

  constructor({ problem, fix, path, token, ...rest }: InjectionErrorInit) {
    const text = describePath(path);
    const pathLine = problem.includes(text) ? '' : `\n  Path: ${text}`;
    const fixLine = fix === undefined ? '' : `\n  Fix: ${fix}`;
    super(problem + pathLine + fixLine, rest);
    this.name = new.target.name;
    this.path = Object.freeze([...path]);
    this.token = token;
  }
}

/** Creates an error once the path to its cause is known. */
export type Problem = (path: readonly Token[]) => InjectionError;
