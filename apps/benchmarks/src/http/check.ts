import { isDeepStrictEqual } from 'node:util';
import type { Exchange } from './exchange.js';

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
 * @param base - URL of the server, with what precedes the paths.
 * @throws {Error} When status, media type or body of an answer is not the expected one, or when a
 *   guard lets the stranger through.
 */
export async function checkAnswers(base: string, exchanges: readonly Exchange[]): Promise<void> {
  for (const exchange of exchanges) {
    const { method, path, headers = {} } = exchange;
    const init = { method, headers, body: exchange.body ?? null };
    const response = await fetch(base + path, init);
    const type = response.headers.get('content-type')?.split(';')[0] ?? '';
    const comparable = exchange.volatile === true ? withoutVolatile : (text: string) => text;
    const body = comparable(await response.text());
    const actual: Answer = { status: response.status, type, body };
    const expected: Answer = {
      status: exchange.status,
      type: exchange.type,
      body: comparable(exchange.answer),
    };
    if (!isDeepStrictEqual(actual, expected)) {
      throw new Error(
        `${method} ${path} was answered with ${JSON.stringify(actual)}, ` +
          `expected was ${JSON.stringify(expected)}.`,
      );
    }
    if (headers.Authorization !== undefined) await checkRefusal(base, exchange);
  }
}

async function checkRefusal(base: string, { method, path, headers, body }: Exchange) {
  const { Authorization: _, ...others } = headers ?? {};
  const { status } = await fetch(base + path, { method, headers: others, body: body ?? null });
  if (status !== 401 && status !== 403) {
    throw new Error(`${method} ${path} without authorization was answered with ${status}.`);
  }
}

function withoutVolatile(text: string): string {
  return text
    .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>');
}
