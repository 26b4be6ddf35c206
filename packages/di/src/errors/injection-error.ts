import { hideProperties } from '@fairlead/options';
import { describePath, type Token } from '../token.js';

/** The parts of an {@link InjectionError}. */
export interface InjectionErrorInit {
  /** A sentence that states what failed and where. */
  readonly problem: string;
  /** How to fix it, as an imperative. Omitted if `problem` says so. */
  readonly fix?: string;
  /** The tokens from the resolved one to the one that failed. */
  readonly path: readonly Token[];
  /** Further paths to the same cause. Default: none. */
  readonly otherPaths?: readonly (readonly Token[])[];
  /** The token that the problem is about. */
  readonly token: Token;
  /** The index of the parameter that the problem is about. */
  readonly parameter?: number | undefined;
  /** Where the class is decorated or the provider registered, such as `src/users.ts:12:1`. */
  readonly location?: string | undefined;
  /** The value that a constructor or factory threw. */
  readonly cause?: unknown;
}

/**
 * Base class of all container errors. The message states the problem, the location, the path and
 * the fix. Only `code` is enumerable, because the message contains everything else.
 */
export abstract class InjectionError extends Error {
  /** A stable identifier in upper snake case. */
  abstract readonly code: string;
  /** The tokens from the resolved one to the one that failed. */
  readonly path: readonly Token[];
  /** All paths to the cause. The first one is `path`. */
  readonly paths: readonly (readonly Token[])[];
  /** The token that the problem is about. */
  readonly token: Token;
  /** The index of the parameter that the problem is about, if any. */
  readonly parameter: number | undefined;
  /**
   * Where the class at fault is decorated, or the provider registered, such as `src/users.ts:12:1`.
   * Undefined if unknown.
   */
  readonly location: string | undefined;

  constructor(init: InjectionErrorInit) {
    super(describe(init), 'cause' in init ? { cause: init.cause } : {});
    const { path, otherPaths = [], token, parameter, location } = init;
    this.name = new.target.name;
    this.path = Object.freeze([...path]);
    this.paths = Object.freeze([this.path, ...otherPaths]);
    this.token = token;
    this.parameter = parameter;
    this.location = location;
    hideProperties(this, 'name', 'path', 'paths', 'token', 'parameter', 'location');
  }
}

function describe({ problem, location, path, fix }: InjectionErrorInit): string {
  const text = describePath(path);
  return [
    problem,
    ...(location === undefined || problem.includes(location) ? [] : [`At: ${location}`]),
    ...(problem.includes(text) ? [] : [`Path: ${text}`]),
    ...(fix === undefined ? [] : [`Fix: ${fix}`]),
  ].join('\n  ');
}

/** Prints the text and the first frame outside of this framework. The text contains that of `cause`. */
function inspectError(this: InjectionError): string {
  const thrown = this.cause instanceof Error ? this.cause : this;
  const frames = thrown.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  const outside = frames.find((frame) => !/node:|[\\/]@fairlead[\\/]/.test(frame));
  return [`${this.name}: ${this.message}`, ...(outside === undefined ? [] : [outside])].join('\n');
}
Object.defineProperty(InjectionError.prototype, Symbol.for('nodejs.util.inspect.custom'), {
  value: inspectError,
});

/** Creates an error once the paths to its cause are known. */
export interface Problem {
  (path: readonly Token[], otherPaths?: readonly (readonly Token[])[]): InjectionError;
  /**
   * Identifies the cause together with `about`. Problems with the same cause are reported as one.
   * Undefined if nothing else has the same cause.
   */
  readonly kind?: string;
  readonly about?: unknown;
}

/** Identifies the cause of a problem. */
export function withCause(kind: string, about: unknown, create: Problem): Problem {
  return Object.assign(create, { kind, about });
}
