import { SetupError } from '../errors/setup-error.js';

const UNITS = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };

/**
 * Reads a size.
 *
 * @param limit - Bytes, or a text such as `'500b'`, `'64kb'`, `'1.5mb'`, in units of 1,024.
 * @returns Bytes.
 * @throws {SetupError} `INVALID_LIMIT`, when it is neither, or is negative.
 */
export function parseLimit(limit: number | string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)\s*(b|kb|mb|gb)$/i.exec(String(limit)) ?? [];
  const bytes =
    typeof limit === 'number'
      ? limit
      : Math.floor(Number(amount) * UNITS[(unit ?? 'b').toLowerCase() as keyof typeof UNITS]);
  if (!Number.isSafeInteger(bytes) || bytes < 0) {
    throw new SetupError(
      'INVALID_LIMIT',
      `'${limit}' is not a size. Give a whole number of bytes, or a text such as '64kb' or '1mb'.`,
    );
  }
  return bytes;
}
