import { named } from '@fairlead/options';
import { roleOf } from '../annotations/description.js';
import type { Context } from '../context/context.js';
import { BadRequestError } from '../errors/http-error.js';
import type { Middleware } from '../pipeline/pipeline.js';
import { normalizeSegment, parseTarget } from '../server/target.js';
import { createPrefixTree, type Entry } from './mount.js';
import { type PathRules, parseSegments, type Segment } from './pattern.js';

/**
 * Creates the function that shields middleware of another framework, which may read a path more loosely than
 * the prefixes before it, and than its own. The shielded middleware rejects a path that leads upwards, or could lead
 * below a prefix whose middleware did not run, with 400 `AMBIGUOUS_PATH`. Without any prefix, nothing is ambiguous.
 *
 * @param before - What is registered before the middleware.
 * @param rules - How paths are compared with prefixes.
 * @param own - The prefix of the middleware.
 */
export function createShield(
  before: readonly Entry[],
  rules: PathRules,
  own = '/',
): (middleware: Middleware) => Middleware {
  const createPrefixes = () =>
    before.flatMap((entry) => {
      const segments = 'middleware' in entry ? parseSegments(entry.prefix) : [];
      if (segments.length === 0) return [];
      const exact = createPrefixTree(segments, rules);
      return { exact, loose: createPrefixTree(segments.map(foldSegment), rules) };
    });
  let prefixes: ReturnType<typeof createPrefixes> | undefined;
  const assertClear = (ctx: Context): void => {
    // Earlier middleware may have changed the URL that the next one reads.
    const { path } = parseTarget(ctx.method, ctx.req.url ?? '');
    if (path === ctx.path && CLEAR_PATH.test(path)) return;
    const folded = foldPath(path);
    const isClear =
      folded !== undefined &&
      prefixes?.every(
        ({ exact, loose }) =>
          loose.find(ctx.method, folded) === undefined ||
          exact.find(ctx.method, ctx.path) !== undefined,
      );
    if (isClear) return;
    throw new BadRequestError(
      'The path is ambiguous. Send it without dot segments, empty segments or encoded slashes.',
      { code: 'AMBIGUOUS_PATH' },
    );
  };
  return (middleware) => {
    if (roleOf(middleware) !== 'foreign') return middleware;
    prefixes ??= createPrefixes();
    if (prefixes.length === 0 && parseSegments(own).length === 0) return middleware;
    const shielded: Middleware = (ctx, next) => {
      assertClear(ctx);
      return middleware(ctx, next);
    };
    return named(middleware.name, shielded);
  };
}

/** Matches a path that every framework and file system reads in the same way, except for case. */
const CLEAR_PATH = /^(?:\/[\w~-]+(?:\.[\w~-]+)*)*\/?$/;

/**
 * Reads a path as loosely as a framework or file system might: without case, with backslashes and encoded
 * slashes as slashes, and without empty segments, `.` and characters that file systems ignore.
 *
 * @param path - Percent-encoded.
 * @returns The path in normal form; undefined if it leads upwards, is malformed, or has too many marks.
 */
function foldPath(path: string): string | undefined {
  const names = foldText(path)?.split(/[\\/]/);
  if (names === undefined || names.some((name) => /^\.\.(?: [. ]*)?$/.test(name))) return undefined;
  const kept = names.map(withoutIgnoredEnd).filter((name) => name !== '');
  return `/${kept.map((name) => normalizeSegment(encodeURIComponent(name))).join('/')}`;
}

const LINE_TERMINATORS = ['\n', '\r', '\u2028', '\u2029'];

/**
 * Removes what Windows ignores at the end of a name: dots, spaces, and the name of a stream, such as `::$DATA`.
 * Takes linear time.
 */
export function withoutIgnoredEnd(name: string): string {
  const line = Math.max(...LINE_TERMINATORS.map((character) => name.lastIndexOf(character))) + 1;
  const colon = name.indexOf(':', line);
  if (colon !== -1 && name.lastIndexOf('$') > colon) return name.slice(0, colon);
  let end = name.length;
  while (name[end - 1] === '.' || name[end - 1] === ' ') end -= 1;
  return name.slice(0, end);
}

function foldSegment(segment: Segment): Segment {
  if (segment.kind !== 'static') return segment;
  return { kind: 'static', text: foldPath(segment.text)?.slice(1) ?? segment.text };
}

/** More marks in a row than any language needs. Normalizing them takes quadratic time. UAX #15 §13 */
const MANY_MARKS = /\p{M}{31}/u;

/**
 * Decodes text, and removes the differences that file systems may ignore. Undefined if it is malformed, or has
 * more than 30 marks in a row.
 */
function foldText(text: string): string | undefined {
  try {
    const written = decodeURIComponent(text);
    if (MANY_MARKS.test(written)) return undefined;
    const decoded = written.normalize('NFC');
    // Converting to upper case first also replaces letters such as the long s and the Kelvin sign.
    return decoded
      .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
      .toUpperCase()
      .toLowerCase();
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
