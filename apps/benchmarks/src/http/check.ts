import { isDeepStrictEqual } from 'node:util';
import type { Exchange } from './workloads.js';

/** What two answers have to share. */
interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/**
 * Sends every request of a workload once, and compares the answers. A guarded one is sent without
 * its authorization, too, and has to be refused.
 *
 * @param url - The server, such as `http://127.0.0.1:8080`.
 * @throws {Error} When status, media type or body of an answer is not the expected one, or when a
 *   guard lets the stranger through.
 */
export async function checkAnswers(url: string, exchanges: readonly Exchange[]): Promise<void> {
  for (const exchange of exchanges) {
    const { method, path, headers = {}, body = null } = exchange;
    const response = await fetch(url + path, { method, headers, body });
    const type = response.headers.get('content-type')?.split(';')[0] ?? '';
    const actual: Answer = { status: response.status, type, body: await response.text() };
    const expected: Answer = {
      status: exchange.status,
      type: exchange.type,
      body: exchange.answer,
    };
    if (!isDeepStrictEqual(actual, expected)) {
      throw new Error(
        `${method} ${path} was answered with ${JSON.stringify(actual)}, ` +
          `expected was ${JSON.stringify(expected)}.`,
      );
    }
    if (headers.Authorization !== undefined) await checkRefusal(url, exchange);
  }
}

async function checkRefusal(url: string, { method, path, headers, body }: Exchange) {
  const { Authorization: _, ...others } = headers ?? {};
  const { status } = await fetch(url + path, { method, headers: others, body: body ?? null });
  if (status !== 401 && status !== 403) {
    throw new Error(`${method} ${path} without authorization was answered with ${status}.`);
  }
}
