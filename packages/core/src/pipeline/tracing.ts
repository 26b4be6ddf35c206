import { tracingChannel } from 'node:diagnostics_channel';
import { locatorOf, named, setLocation } from '@fairlead/options';
import type { AnyContext } from '../context/context.js';
import { isPromiseLike } from '../promise.js';

/** What the tracing channels `fairlead:<part>` publish: the parts of a request, and of a start. */
export type TracedPart =
  | 'request'
  | 'middleware'
  | 'guard'
  | 'validation'
  | 'handler'
  | 'serialization'
  | 'container';

/** A call that a tracing channel publishes. All of its events have the same object. */
export interface TracedCall {
  /** The function, the route or the token. */
  readonly name: string;
  /** Undefined outside of a request. */
  readonly ctx: AnyContext | undefined;
  /** Whether the call has returned a promise. `asyncEnd` then follows `end`. */
  isPending: boolean;
  /** What the call threw, or its promise rejected with. */
  error?: unknown;
}

/**
 * Returns a function that publishes its calls on the tracing channel of a part. Decides now whether anything is
 * subscribed: without subscribers, returns the function as it is.
 *
 * @param run - Its first argument is the context, if it has one.
 */
export function traced<Input extends readonly unknown[], Result>(
  part: TracedPart,
  name: string,
  run: (...input: Input) => Result,
): (...input: Input) => Result {
  const channel = tracingChannel<unknown, TracedCall>(`fairlead:${part}`);
  if (!channel.hasSubscribers) return run;
  const publishing = (...input: Input): Result => {
    const call: TracedCall = { name, ctx: input[0] as AnyContext | undefined, isPending: false };
    return channel.traceSync(() => {
      const result = run(...input);
      if (!isPromiseLike(result)) return result;
      call.isPending = true;
      return Promise.resolve(result)
        .catch((cause: unknown) => {
          call.error = cause;
          channel.error.publish(call);
          throw cause;
        })
        .finally(() => {
          channel.asyncStart.publish(call);
          channel.asyncEnd.publish(call);
        }) as Result;
    }, call);
  };
  const locate = () => locatorOf(run)?.();
  return named(run.name, setLocation(publishing, locate));
}
