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
 * subscribed, so that functions without subscribers run as they are.
 *
 * @param run - Its first argument is the context, if it has one.
 * @returns Undefined without subscribers.
 */
export function traced<Input extends readonly unknown[], Result>(
  part: TracedPart,
  name: string,
  run: (...input: Input) => Result,
): ((...input: Input) => Result) | undefined {
  const channel = tracingChannel<unknown, TracedCall>(`fairlead:${part}`);
  if (!channel.hasSubscribers) return undefined;
  const { start, end, asyncStart, asyncEnd, error } = channel;
  const publishing = (...input: Input): Result => {
    const ctx = input[0] as AnyContext | undefined;
    const call: TracedCall = { name, ctx, isPending: false };
    const fail = (cause: unknown): void => {
      call.error = cause;
      error.publish(call);
    };
    const settle = (): void => {
      asyncStart.publish(call);
      asyncEnd.publish(call);
    };
    return start.runStores(call, () => {
      try {
        const result = run(...input);
        if (!isPromiseLike(result)) return result;
        call.isPending = true;
        return result.then(
          (value) => {
            settle();
            return value;
          },
          (cause) => {
            fail(cause);
            settle();
            throw cause;
          },
        ) as Result;
      } catch (cause) {
        fail(cause);
        throw cause;
      } finally {
        end.publish(call);
      }
    });
  };
  const locate = locatorOf(run);
  if (locate !== undefined) setLocation(publishing, locate);
  return named(run.name, publishing);
}

const publishers = new WeakSet<object>();

/** Remembers that a handler publishes its parts itself, as a method of a controller does. */
export function markPublisher(handler: object): void {
  publishers.add(handler);
}

export function isPublisher(handler: object): boolean {
  return publishers.has(handler);
}
