import type { IncomingMessage } from 'node:http';

/** Whether a request carries content, by its framing. @see RFC 9112 §6 */
export function hasBody(req: IncomingMessage): boolean {
  const length = req.headers['content-length'];
  return req.headers['transfer-encoding'] !== undefined || Number(length ?? 0) > 0;
}
