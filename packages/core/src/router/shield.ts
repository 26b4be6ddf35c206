import type { EarlierPrefix, Surroundings } from '../annotations/placement.js';
import type { AnyContext } from '../context/context.js';
import { ambiguousPath } from '../context/web-request.js';

/**
 * Creates the function that shields handlers of other frameworks, which may read a path more loosely than the prefixes
 * before them, and than their own. It rejects a path that leads upwards, or could lead below a prefix whose middleware
 * did not run, with 400 `AMBIGUOUS_PATH`.
 *
 * @returns Undefined without any prefix, because then nothing is ambiguous.
 */
export function createShield({
  prefix,
  prefixes,
}: Surroundings): ((ctx: AnyContext) => void) | undefined {
  if (prefixes.length === 0 && prefix.replaceAll('/', '') === '') return undefined;
  const loose = prefixes.map((one) => ({ one, parts: one.segments.flatMap(foldSegment) }));
  return (ctx) => {
    // Earlier middleware may have changed the URL that the next one reads.
    const path = pathOf(ctx.req.url ?? '');
    if (path === ctx.path && CLEAR_PATH.test(path)) return;
    const names = foldPath(path);
    if (names && loose.every(({ one, parts }) => !leadsBelow(names, parts) || one.matches(ctx)))
      return;
    throw ambiguousPath('dot segments, empty segments or encoded slashes');
  };
}

/** Matches a path that every framework and file system reads in the same way, except for case. */
const CLEAR_PATH = /^(?:\/[\w~-]+(?:\.[\w~-]+)*)*\/?$/;

/** Matches the start of an absolute URL. */
const ORIGIN = /^[a-z]+:\/\/[^/?#]*/i;

/** Returns the path of a request target, as it was sent. */
function pathOf(url: string): string {
  const [path = ''] = url.replace(ORIGIN, '').split(/[?#]/);
  return path || '/';
}

/** Whether the names of a path begin with those of a prefix. */
function leadsBelow(names: readonly string[], prefix: EarlierPrefix['segments']): boolean {
  return prefix.every((texts, index) => {
    const name = names[index];
    return name !== undefined && mayFit(name, texts);
  });
}

/** Whether a name consists of texts with parameters between them. Assumes it in doubt. */
function mayFit(name: string, [first = '', ...others]: readonly string[]): boolean {
  const last = others.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  let index = first.length;
  return others.every((text) => {
    index = name.indexOf(text, index);
    return index !== -1;
  });
}

/**
 * Reads a path as loosely as a framework or file system might: without case, with backslashes and encoded
 * slashes as slashes, and without empty segments, `.` and characters that file systems ignore.
 *
 * @param path - Percent-encoded.
 * @returns The names in the path; undefined if it leads upwards, is malformed, or has too many marks.
 */
function foldPath(path: string): readonly string[] | undefined {
  const names = foldText(path)?.split(/[\\/]/);
  if (names === undefined || names.some((name) => /^\.\.(?: [. ]*)?$/.test(name))) return undefined;
  return names.map(withoutIgnoredEnd).filter((name) => name !== '');
}

/** Folds a segment of a prefix, which may contain slashes. */
function foldSegment(texts: readonly string[]): EarlierPrefix['segments'] {
  const [only = '', ...others] = texts;
  if (others.length > 0) return [texts.map((text) => foldText(text) ?? text)];
  return (foldPath(only) ?? [only]).map((name) => [name]);
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
