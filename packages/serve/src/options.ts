import { inspect } from 'node:util';
import { SetupError } from '@fairlead/core';

/** What an option accepts, and its description in messages. */
export type Accepted = readonly [accepts: (value: unknown) => boolean, description: string];

/** Longest delay of a timer, in milliseconds. With a longer one, it would fire immediately. */
const LONGEST = 2 ** 31 - 1;

const isFunction = (value: unknown): boolean => typeof value === 'function';

/** The kinds of options that this package has. */
export const ACCEPTED = {
  function: [isFunction, 'a function'],
  functionOrFalse: [(value) => value === false || isFunction(value), 'a function or false'],
  logger: [isLogger, 'an object with the methods info, warn and error'],
  milliseconds: [
    (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= LONGEST,
    `an integer from 0 to ${LONGEST}`,
  ],
  signals: [
    (value) => Array.isArray(value) && value.every((name) => /^SIG[A-Z0-9]+$/.test(name)),
    'a list of signal names',
  ],
  text: [(value) => typeof value === 'string' && value !== '', 'a non-empty string'],
} as const satisfies Readonly<Record<string, Accepted>>;

function isLogger(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return ['info', 'warn', 'error'].every(
    (name) => name in value && isFunction(Reflect.get(value, name)),
  );
}

/**
 * Checks the options of a call.
 *
 * @param call - The call, such as `serve()`, for the message.
 * @param options - What the caller passed.
 * @param known - All options by name. The value of an option that the caller does not check is undefined.
 * @throws {SetupError} `INVALID_SERVE_OPTION`, for the first unknown name or unacceptable value.
 */
export function assertOptions(
  call: string,
  options: unknown,
  known: Readonly<Record<string, Accepted | undefined>>,
): void {
  if (typeof options !== 'object' || options === null) {
    throw invalid(`${call} cannot use ${inspect(options)} as options. Pass an object.`);
  }
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(known, name)) {
      const nearest = nearestName(name, Object.keys(known));
      throw invalid(`${call} has no option '${name}'. Did you mean '${nearest}'?`);
    }
    const [accepts, description] = known[name] ?? [];
    if (value === undefined || accepts === undefined || accepts(value)) continue;
    throw invalid(`${call} cannot use ${inspect(value)} as ${name}. Use ${description}.`);
  }
}

/** Creates the error of an invalid option. */
export function invalid(message: string): SetupError {
  return new SetupError('INVALID_SERVE_OPTION', message);
}

/** Returns the name that needs the fewest edits to become `name`. */
function nearestName(name: string, known: readonly string[]): string | undefined {
  const distances = new Map(known.map((other) => [other, editDistance(name, other)]));
  return known.toSorted((a, b) => (distances.get(a) ?? 0) - (distances.get(b) ?? 0))[0];
}

/** Counts the insertions, deletions and replacements that turn one text into another (Levenshtein). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from.toLowerCase()].entries()) {
    const next = [index + 1];
    for (const [column, other] of [...to.toLowerCase()].entries()) {
      const [left = 0, above = 0, diagonal = 0] = [next[column], row[column + 1], row[column]];
      next.push(Math.min(left + 1, above + 1, diagonal + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
