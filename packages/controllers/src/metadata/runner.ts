import type { Context } from '@fairlead/core';
import type { Constructor } from '@fairlead/di';
import type { Diagnostic } from '../errors.js';
import type { ParameterDefinition } from './parameter.js';

/**
 * How routes get an instance: a shared one, or one resolved for each request. In the second case, `type` is the class
 * of the instances, if it is known, and `instance` is what a container without `isShared` resolved at startup.
 */
export type InstanceSource =
  | { readonly instance: unknown; readonly perRequest?: undefined; readonly type?: undefined }
  | {
      readonly instance?: unknown;
      readonly perRequest: (ctx: Context) => unknown;
      readonly type?: Constructor | undefined;
    };

/** The arguments of a handler, if something reads them for it. */
// biome-ignore lint/suspicious/noConfusingVoidType: the validation of a value returns nothing
export type Values = unknown[] | void;

/** Reads or validates a request before its handler runs. Returns a promise only if something needs it. */
export type ReadValues = (ctx: Context) => Values | PromiseLike<Values>;

export type CallHandler = (ctx: Context, values: unknown[]) => unknown;

/** What a route reads of a request. */
export interface Inputs {
  /** Class and method, such as `UsersController.create`. */
  readonly handler: string;
  readonly parameters: readonly ParameterDefinition[];
  readonly options: { readonly invalidParams?: 404 };
}

/** How requests to a route reach its handler: a method, or a function that receives the instance. */
export interface Runner {
  /** The function that the author wrote; undefined if it is missing. */
  readonly handler: unknown;
  /** Number of parameters that need a decorator. */
  readonly takes: number;
  /** What is wrong with the handler. */
  readonly fault: Diagnostic | undefined;
  /** Returns undefined if nothing has to be read. */
  readonly createRead: (inputs: Inputs) => ReadValues | undefined;
  readonly createCall: (source: InstanceSource) => CallHandler;
}
