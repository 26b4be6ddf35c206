import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const ODD_METHODS = ['TRACE', 'QUERY', 'M-SEARCH', 'CONNECT', 'PRI', 'get', 'G ET', ''];

const TARGETS = [
  '/',
  '/plain',
  '/stream',
  '/large',
  '/later',
  '/none',
  '/moved?a=1&b=%20',
  '/unread/a',
  '/files/a/b/c',
  '/api/users/',
  '/api/users/me',
  '/api/users/7',
  '/api/users/%C3%A9%2F',
  '/api/users/7/files/',
  '/api/users/7/8/end',
  '/api/teams/a/b/files/x%20y',
  '/loose/a/fixed',
  '/Loose/a/FIXED',
  '/strict/a/',
  '/strict/b/',
  '/nowhere',
];
const ODD_TARGETS = [
  '*',
  '//',
  '//a',
  '/..//../%2e%2e/',
  '/%',
  '/%00',
  '/%ff',
  '/%ED%A0%80',
  '/files/%0d%0aSet-Cookie:a',
  '/moved?%0d%0aA:b',
  '/?__proto__=1&__proto__[a]=2&constructor=3',
  '/api/users/__proto__',
  'http://a/plain',
  'http://a',
  'http://[::1/plain',
  'ftp://a/plain',
  'a:80',
  '/a#b',
  '/a b',
  '\xff',
  `/${'-'.repeat(3000)}`,
  '/'.repeat(3000),
  `/${'a'.repeat(9000)}`,
];

const HEADERS = [
  'Accept: */*',
  'Cookie: a=b; c=d=e; ; =; \xe9=\xe9',
  'Origin: http://page.example',
  'Origin: null',
  'Access-Control-Request-Method: PUT',
  'Access-Control-Request-Headers: \xe9, x',
  'If-None-Match: *',
  'If-None-Match: "a", W/"b", """',
  'If-Modified-Since: never',
  'Expect: 100-continue',
  'Expect: tea',
  'Connection: close',
  'Connection: keep-alive',
  'Connection: Upgrade',
  'Upgrade: h2c',
  'HTTP2-Settings: AAMAAABkAAQAAP__',
  'X-Request-Id: abc',
  'X-Request-Id: \xff\xfe',
  'Host: b',
  'Content-Length: 3',
  'Content-Length: +3',
  'Content-Length: 99999999999999999999',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: identity',
  'Transfer-Encoding: xchunked',
  'Trailer: A',
  'Range: bytes=0-0',
  'TE: trailers',
  'A : b',
  ' folded',
  '__proto__: a',
  'constructor: a',
  'A:',
  `A: ${'b'.repeat(17_000)}`,
];

const TYPES = [
  'application/json',
  'application/vnd.a+json; charset="UTF-8"',
  'application/json; charset=koi8-r',
  'application/x-www-form-urlencoded',
  'text/plain; charset=utf-16le',
  'text/html',
  'application/octet-stream',
  'application/json;charset',
  ';;;=',
  '',
];
const BODIES = [
  '',
  '{}',
  '{"name":"Ada","email":"a@b.c","list":[1,2.5e-3,null,true]}',
  '{"__proto__":{"a":1}}',
  '{"constructor":{"prototype":{}}}',
  '"\\ud800"',
  '[[[[[[[[]]]]]]]]',
  `${'['.repeat(4000)}${']'.repeat(4000)}`,
  'a=1&b=2&a=3&__proto__=4&=&%ff=%',
  '&'.repeat(50),
  'x'.repeat(11_000),
  'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n',
  '\0\xff\xfe\x80',
  '\xef\xbb\xbf{}',
];

/** Byte sequences that mean something to a parser. */
const PIECES = [
  '\r\n',
  '\n',
  '\r',
  '\r\n\r\n',
  '\0',
  ' ',
  '\t',
  ':',
  ';',
  '"',
  '%',
  '\x7f',
  '\x80',
  '\xff',
  '0\r\n\r\n',
  '-1\r\n',
  'ffffffffffffffff\r\n',
  '5;a="b"\r\n',
  'HTTP/1.0\r\n',
  'HTTP/1.1',
  'HTTP/2.0',
  'Content-Length: 5\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Connection: close\r\n',
  'Expect: 100-continue\r\n',
  'Host: b\r\n',
  'GET /plain HTTP/1.1\r\nHost: a\r\n\r\n',
  'POST /unread/x HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nabcd',
];

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
    // As many chunks of that size as a hundred make; what is left goes into one.
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

/** A request that is well formed, with a body or without. */
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

/** A well-formed request that any server takes. */
export const validRequest = requestOf(
  fc.constantFrom(...METHODS),
  fc.constantFrom(...TARGETS),
  fc.subarray(['Accept: */*', 'Cookie: a=b; c=d', 'If-None-Match: "a"', 'X-Request-Id: abc']),
);

/** A piece of bytes in place of others, or a copy of others. */
const mutation = fc.record({
  at: fc.nat(),
  dropped: fc.constantFrom(0, 0, 1, 2, 20),
  copied: fc.constantFrom(0, 0, 0, 30, 300),
  added: fc.oneof(fc.constantFrom('', ...PIECES).map(latin1), fc.uint8Array({ maxLength: 4 })),
});

/** Often none, often one, and sometimes more. */
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

/** Bytes that a client may send in place of a request. */
export const hostileBytes: fc.Arbitrary<Buffer> = fc.oneof(
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 12, arbitrary: mutated },
  {
    weight: 2,
    arbitrary: fc.array(mutated, { minLength: 2, maxLength: 4 }).map((all) => Buffer.concat(all)),
  },
);
