import { describe, expect, it } from 'vitest';

/** Calls a function as JavaScript may call it, and returns its error. */
export async function errorOf(
  call: (...args: never[]) => unknown,
  ...args: unknown[]
): Promise<unknown> {
  try {
    await Reflect.apply(call, undefined, args);
  } catch (error) {
    return error;
  }
  return undefined;
}

/** The error of a call. */
export const setupError = (code: string, ...lines: readonly string[]) =>
  expect.objectContaining({ name: 'SetupError', code, message: lines.join('\n') });

/** A wrong value of an option, how the message shows it, and what it accepts. */
export type Wrong = readonly [value: unknown, shown: string, accepted: string];

/**
 * Tests how calls report wrong options.
 *
 * @param calls - Each call for messages, such as `json()`, the function, which receives the options, and a wrong
 *   value for each option.
 */
export function testOptions(
  calls: readonly (readonly [
    call: string,
    run: (options: never) => unknown,
    options: Readonly<Record<string, Wrong>>,
  ])[],
): void {
  describe.each(calls)('%s', (call, run, options) => {
    const rows = Object.entries(options);
    const problemOf = ([name, [, shown, accepted]]: (typeof rows)[number]) =>
      `${name} of ${call} must be ${accepted}: got ${shown}.`;

    it.each(rows)('rejects a wrong %s', async (...row) => {
      const [name, [value]] = row;
      const error = await errorOf(run, { [name]: value });
      expect(error).toEqual(setupError('INVALID_OPTION', problemOf(row)));
    });

    it.each(rows)('accepts undefined as %s', async (name) => {
      const error = await errorOf(run, { [name]: undefined, unknown: 1 });
      expect(String(error)).toContain(`${call} has no option 'unknown'.`);
      expect(String(error).split('\n')).toHaveLength(1);
    });

    it.each(rows)('names the option nearest to a misspelled %s', async (name) => {
      const error = await errorOf(run, { [`${name}x`]: undefined });
      const message = `${call} has no option '${name}x'. Did you mean '${name}'?`;
      expect(error).toEqual(setupError('INVALID_OPTION', message));
    });

    it('reports everything in one error', async () => {
      const wrong = rows.map(([name, [value]]) => [name, value]);
      const error = await errorOf(run, { unknown: 1, ...Object.fromEntries(wrong) });
      const problems = rows.map((row) => expect.stringContaining(problemOf(row)));
      expect(String(error).split('\n').slice(1)).toEqual(problems);
      expect(error).toMatchObject({ code: 'INVALID_OPTION' });
    });

    it.each([
      [null, 'null'],
      ['1mb', "'1mb'"],
      [8080, '8080'],
      [[], '[]'],
      [function next() {}, 'the function next'],
    ])('rejects %o in place of options', async (value, shown) => {
      const message = `options of ${call} must be an object: got ${shown}.`;
      expect(await errorOf(run, value)).toEqual(setupError('INVALID_OPTION', message));
    });
  });
}
