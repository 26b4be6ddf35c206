import type { IncomingMessage, ServerResponse } from 'node:http';

/** Requests whose client holds the body back until it is told to go on. */
const waiting = new WeakSet<IncomingMessage>();

/** Remembers that a request came with `Expect: 100-continue`, and has not been answered. */
export function expectContinue(req: IncomingMessage): void {
  waiting.add(req);
}

/** Whether a request's client still holds its body back. */
export function isWaiting(req: IncomingMessage): boolean {
  return waiting.has(req);
}

/**
 * Tells a client that holds its body back to send it.
 *
 * @see RFC 9110 §10.1.1
 */
export function sendContinue(req: IncomingMessage, res: ServerResponse): void {
  if (waiting.delete(req)) res.writeContinue();
}
