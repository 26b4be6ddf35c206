import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { toHttpError } from './errors.js';
import type { Found } from './negotiate.js';

/**
 * Opens what an answer sends of a file. The stream closes the file when it ends or is destroyed.
 *
 * @param method - HEAD opens nothing.
 * @returns A stream of as many bytes as `Content-Length` says, none where there is no such header;
 *   undefined when the file has gone since it was found.
 * @throws {HttpError} 500, when the file cannot be opened.
 */
export async function openBody(
  { file, headers }: Found,
  method: string,
): Promise<Readable | undefined> {
  const length = Number(headers.get('Content-Length') ?? 0);
  if (length === 0 || method === 'HEAD') return Readable.from([]);
  const range = /^bytes (\d+)-/.exec(String(headers.get('Content-Range')));
  const start = Number(range?.[1] ?? 0);
  try {
    const handle = await open(file);
    return handle.createReadStream({ start, end: start + length - 1 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw toHttpError(error as Error, file);
  }
}
