import { once } from 'node:events';
import { constants, createBrotliCompress, createDeflate, createGzip } from 'node:zlib';
import { connectRaw, exchange } from '@fairlead/test-support/raw-connection';
import { describe, expect, it } from 'vitest';
import { createApp, errorHandler, json } from '../src/index.js';
import { heldMemory } from './support/resources.js';
import { serve } from './support/serve.js';

const MEBIBYTE = 1024 ** 2;
const ALIVE = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

describe('a gigabyte of zeros', () => {
  const ZEROS = Buffer.alloc(16 * MEBIBYTE);

  /** Packs a gigabyte, piece by piece. */
  async function pack(packer: NodeJS.ReadWriteStream): Promise<Buffer> {
    const pieces: Buffer[] = [];
    packer.on('data', (piece: Buffer) => pieces.push(piece));
    for (let piece = 0; piece < 64; piece += 1) {
      await new Promise<void>((resolve) => packer.write(ZEROS, () => resolve()));
    }
    packer.end();
    await once(packer, 'end');
    return Buffer.concat(pieces);
  }

  it.each([
    ['gzip', () => createGzip({ level: 1 })],
    ['deflate', () => createDeflate({ level: 1 })],
    ['br', () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ])('in %s is refused before it is unpacked', async (encoding, createPacker) => {
    const bomb = await pack(createPacker());
    const { port } = await serve(createApp().use(errorHandler(), json(), (ctx) => ctx.send('')));
    const before = heldMemory();
    const peaks: number[] = [];
    const watch = setInterval(() => peaks.push(process.memoryUsage().external), 1);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => {
        const { socket, ended } = connectRaw(port);
        socket.write('POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n');
        socket.write(`Content-Type: application/json\r\nContent-Encoding: ${encoding}\r\n`);
        socket.write(`Content-Length: ${bomb.length}\r\n\r\n`);
        socket.write(bomb);
        return ended();
      }),
    );
    clearInterval(watch);
    expect(new Set(answers.map((answer) => answer.slice(0, 12)))).toEqual(
      new Set(['HTTP/1.1 413']),
    );
    expect(Math.max(...peaks)).toBeLessThan(256 * MEBIBYTE);
    expect(heldMemory() - before).toBeLessThan(32 * MEBIBYTE);
    expect(await exchange(port, ALIVE)).toMatch(/^HTTP\/1\.1 200 /);
  });
});
