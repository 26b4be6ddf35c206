import { isUtf8 } from 'node:buffer';
import { type ReadJson, refuse, starters } from './raw.js';

const LIMIT = 1024 ** 2;

/** Checks what Fairlead's `json()` checks, and returns a promise, as it does. */
const readJson: ReadJson = async (req, res, use) => {
  const {
    'content-type': type,
    'content-encoding': encoding,
    'content-length': length,
  } = req.headers;
  if (type !== 'application/json' || encoding !== undefined) return refuse(res, 415);
  if (Number(length) > LIMIT) return refuse(res, 413);
  try {
    const bytes = await new Promise<Buffer>((resolve, reject) => {
      const chunks: Buffer[] = [];
      let size = 0;
      req.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > LIMIT) reject(new RangeError('The body is too large.'));
        else chunks.push(chunk);
      });
      req.on('end', () => {
        const [first] = chunks;
        resolve(chunks.length === 1 && first ? first : Buffer.concat(chunks));
      });
      req.on('close', () => {
        if (!req.readableEnded) reject(new Error('The client has disconnected.'));
      });
    });
    const text = bytes.toString();
    if (text.includes('\uFFFD') && !isUtf8(bytes)) throw new SyntaxError('The body is not UTF-8.');
    const value: unknown = JSON.parse(text);
    if (text.includes('proto') || text.includes('\\u')) {
      throw new SyntaxError('The body may contain a forbidden key.');
    }
    use(value);
  } catch {
    refuse(res, 400);
  }
};

export const start = starters({}, readJson);
