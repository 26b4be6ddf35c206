/** A response as received. */
export interface WireResponse {
  readonly status: number;
  /** The last value of each header, by lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** The bytes of a connection, parsed. */
export interface Wire {
  /** Final responses, in order, without `100 Continue`. */
  readonly responses: readonly WireResponse[];
  /** Why the remaining bytes are not a response; undefined when none remain. */
  readonly fault: string | undefined;
}

const STATUS_LINE = /^HTTP\/1\.1 ([1-5]\d\d) [\t\x20-\x7e]*$/;
const HEADER_LINE = /^([\w!#$%&'*+.^`|~-]+): ([\t\x20-\x7e\x80-\xff]*)$/;

/**
 * Parses all bytes received on a connection, strictly.
 *
 * The header `X-Method` of a response names the method of its request. Without it, the response may
 * also be the response to HEAD, without a body.
 *
 * @see RFC 9112 §4, §6
 */
export function readWire(bytes: Buffer): Wire {
  const responses: WireResponse[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) return { responses, fault: `no end of headers: ${shown(rest)}` };
    const [statusLine = '', ...lines] = rest.toString('latin1', 0, end).split('\r\n');
    const status = Number(STATUS_LINE.exec(statusLine)?.[1]);
    const fields = lines.map((line) => HEADER_LINE.exec(line));
    if (!status || fields.includes(null)) return { responses, fault: `no head: ${shown(rest)}` };
    const headers = new Map(
      fields.map((field) => [String(field?.[1]).toLowerCase(), String(field?.[2])]),
    );
    rest = rest.subarray(end + 4);
    if (status === 100) continue;
    const read = readBody(status, headers, rest);
    if (typeof read === 'string') return { responses, fault: `${read} of ${statusLine}` };
    responses.push({ status, headers, body: read.body });
    rest = read.rest;
  }
  return { responses, fault: undefined };
}

interface Body {
  readonly body: Buffer;
  readonly rest: Buffer;
}

function readBody(
  status: number,
  headers: ReadonlyMap<string, string>,
  bytes: Buffer,
): Body | string {
  const [length, coding] = [headers.get('content-length'), headers.get('transfer-encoding')];
  const nothing = { body: Buffer.alloc(0), rest: bytes };
  if (length !== undefined && coding !== undefined) return 'two framings';
  if (status === 204) return (length ?? coding) ? 'a framing' : nothing;
  if (status === 304 || headers.get('x-method') === 'HEAD') return nothing;
  if (coding === 'chunked') return readChunks(bytes);
  if (length === undefined) {
    if (headers.get('connection') !== 'close') return 'no framing';
    return { body: bytes, rest: Buffer.alloc(0) };
  }
  if (bytes.length === 0 && !headers.has('x-method')) return nothing;
  if (!/^\d+$/.test(length) || bytes.length < Number(length)) return `not the ${length} bytes`;
  return { body: bytes.subarray(0, Number(length)), rest: bytes.subarray(Number(length)) };
}

function readChunks(bytes: Buffer): Body | string {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const line = bytes.toString('latin1', at, Math.max(lineEnd, at));
    if (!/^[\da-f]+$/i.test(line)) return 'no chunk size';
    const size = Number.parseInt(line, 16);
    const end = lineEnd + 2 + size;
    if (bytes.toString('latin1', end, end + 2) !== '\r\n') return 'no end of a chunk';
    chunks.push(bytes.subarray(lineEnd + 2, end));
    at = end + 2;
    if (size === 0) return { body: Buffer.concat(chunks), rest: bytes.subarray(at) };
  }
}

const shown = (bytes: Buffer) => JSON.stringify(bytes.toString('latin1', 0, 80));
