import { AsyncLocalStorage } from 'node:async_hooks';

/** What Lambda tells a function about its invocation. */
export interface LambdaContext {
  readonly awsRequestId: string;
  readonly functionName: string;
  readonly functionVersion: string;
  readonly invokedFunctionArn: string;
  readonly memoryLimitInMB: string;
  readonly logGroupName: string;
  readonly logStreamName: string;
  /** Returns the milliseconds until Lambda stops the invocation. */
  getRemainingTimeInMillis(): number;
}

/** An invocation of the function. */
export interface LambdaInvocation {
  /** The event as received. Cast it to its type in `@types/aws-lambda`. */
  readonly event: object;
  readonly context: LambdaContext;
}

export const invocations = new AsyncLocalStorage<LambdaInvocation>();

/**
 * Returns the invocation that the current request came from, also in services and after an `await`;
 * undefined outside of a Lambda handler.
 */
export function currentInvocation(): LambdaInvocation | undefined {
  return invocations.getStore();
}
