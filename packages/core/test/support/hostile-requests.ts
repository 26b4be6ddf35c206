import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import {
  BODIES,
  HEADERS,
  METHODS,
  ODD_METHODS,
  ODD_TARGETS,
  PIECES,
  TARGETS,
  TYPES,
} from './hostile-words.js';

const ENCODINGS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  identity: (bytes) => bytes,
  gzip: (bytes) => gzipSync(bytes, { level: 1 }),
  deflate: (bytes) => deflateSync(bytes, { level: 1 }),
  br: (bytes) => brotliCompressSync(bytes.subarray(0, 1000)),
  zstd: (bytes) => bytes,
  'gzip, gzip': (bytes) => bytes,
};

const latin1 = (text: string) => Buffer.from(text, 'latin1');

const content = fc
  .record({
    type: fc.constantFrom(...TYPES),
    text: fc.oneof(fc.constantFrom(...BODIES), fc.json({ maxDepth: 3 })),
    encoding: fc.constantFrom('identity', 'identity', ...Object.keys(ENCODINGS)),
    chunkSize: fc.constantFrom(0, 0, 1, 7, 1000),
  })
  .map(({ type, text, encoding, chunkSize }) => {
    const bytes = ENCODINGS[encoding]?.(latin1(text)) ?? latin1(text);
    const lines = [`Content-Type: ${type}`];
    if (encoding !== 'identity') lines.push(`Content-Encoding: ${encoding}`);
    if (chunkSize === 0) return { lines: [...lines, `Content-Length: ${bytes.length}`], bytes };
    // At most a hundred chunks of that size. The rest goes into one chunk.
    const cut = Math.min(100, Math.floor(bytes.length / chunkSize));
    const chunks = Array.from({ length: cut }, (_, index) =>
      bytes.subarray(index * chunkSize, (index + 1) * chunkSize),
    );
    const parts = [...chunks, bytes.subarray(cut * chunkSize)].filter((part) => part.length > 0);
    return {
      lines: [...lines, 'Transfer-Encoding: chunked'],
      bytes: Buffer.concat([
        ...parts.flatMap((part) => [
          latin1(`${part.length.toString(16)}\r\n`),
          part,
          latin1('\r\n'),
        ]),
        latin1('0\r\n\r\n'),
      ]),
    };
  });

/** A well-formed request, with or without a body. */
function requestOf(
  methods: fc.Arbitrary<string>,
  targets: fc.Arbitrary<string>,
  headers: fc.Arbitrary<string[]>,
): fc.Arbitrary<Buffer> {
  const none = fc.constant({ lines: [] as string[], bytes: Buffer.alloc(0) });
  return fc
    .tuple(methods, targets, headers, fc.oneof(none, content))
    .map(([method, target, headers, { lines, bytes }]) =>
      Buffer.concat([
        latin1(
          [`${method} ${target} HTTP/1.1`, 'Host: a', ...headers, ...lines, '', ''].join('\r\n'),
        ),
        bytes,
      ]),
    );
}

/** A well-formed request that any server accepts. */
export const validRequest = requestOf(
  fc.constantFrom(...METHODS),
  fc.constantFrom(...TARGETS),
  fc.subarray(['Accept: */*', 'Cookie: a=b; c=d', 'If-None-Match: "a"', 'X-Request-Id: abc']),
);

/** A replacement or copy of some bytes. */
const mutation = fc.record({
  at: fc.nat(),
  dropped: fc.constantFrom(0, 0, 1, 2, 20),
  copied: fc.constantFrom(0, 0, 0, 30, 300),
  added: fc.oneof(fc.constantFrom('', ...PIECES).map(latin1), fc.uint8Array({ maxLength: 4 })),
});

/** Often none or one, sometimes more. */
function upTo<T>(count: number, item: fc.Arbitrary<T>): fc.Arbitrary<T[]> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant<T[]>([]) },
    { weight: 2, arbitrary: fc.array(item, { minLength: 1, maxLength: 1 }) },
    { weight: 1, arbitrary: fc.array(item, { maxLength: count }) },
  );
}

const mutated = fc
  .tuple(
    requestOf(
      fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom(...METHODS) },
        fc.constantFrom(...ODD_METHODS),
      ),
      fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...TARGETS) },
        fc.constantFrom(...ODD_TARGETS),
      ),
      upTo(2, fc.constantFrom(...HEADERS)),
    ),
    upTo(3, mutation),
  )
  .map(([request, mutations]) =>
    mutations.reduce((bytes, { at, dropped, copied, added }) => {
      const start = at % (bytes.length + 1);
      const copy = bytes.subarray(start, start + copied);
      return Buffer.concat([
        bytes.subarray(0, start),
        copy,
        added,
        bytes.subarray(start + dropped),
      ]);
    }, request),
  );

/** Bytes that a client may send instead of a request. */
export const hostileBytes: fc.Arbitrary<Buffer> = fc.oneof(
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 12, arbitrary: mutated },
  {
    weight: 2,
    arbitrary: fc.array(mutated, { minLength: 2, maxLength: 4 }).map((all) => Buffer.concat(all)),
  },
);
