import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { FilePart } from './parts.js';
import type { FileHead } from './rules.js';

/**
 * A file on disk, which is removed after the response. JSON of it lacks the path, and has `sha256`, in hexadecimal, if the
 * request has an `Idempotency-Key`: two uploads of one file are the same JSON.
 */
export interface StoredFile extends Omit<FileHead, 'name'> {
  /** The absolute path. To keep the file, rename it before you respond. */
  readonly path: string;
  /** The size of the content, in bytes. */
  readonly size: number;
}

/** The files of one form. Only the user of the process can read them. */
export class TempFiles {
  readonly #parent: string;
  readonly #isHashing: boolean;
  #folder: string | undefined;
  #count = 0;

  /**
   * @param parent - The directory for the folder of this form.
   * @param isHashing - Whether the JSON of a file has the SHA-256 of its content.
   */
  constructor(parent: string, isHashing: boolean) {
    this.#parent = parent;
    this.#isHashing = isHashing;
  }

  /** Writes a file, under a name that the client does not choose. */
  async store({ fileName, mediaType, headers, stream }: FilePart): Promise<StoredFile> {
    this.#folder ??= await mkdtemp(join(this.#parent, 'fairlead-upload-'));
    const path = join(this.#folder, String(this.#count++));
    const target = createWriteStream(path, { flags: 'wx', mode: 0o600 });
    const hash = this.#isHashing ? createHash('sha256') : undefined;
    if (hash !== undefined) stream.on('data', (chunk: Buffer) => hash.update(chunk));
    await pipeline(stream, target);
    const head = { fileName, mediaType, headers, size: target.bytesWritten };
    const json = { ...head, sha256: hash?.digest('hex') };
    return Object.defineProperty({ ...head, path }, 'toJSON', { value: () => json });
  }

  /** Removes all files. Call it when no file is being written any more. */
  async remove(): Promise<void> {
    if (this.#folder === undefined) return;
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
