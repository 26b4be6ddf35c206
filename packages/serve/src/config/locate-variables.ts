import { readFileSync } from 'node:fs';

/**
 * Finds the lines that define variables: those after a call of `defineConfig()`, or the only ones of its file.
 *
 * @param caller - The line of the call, such as `src/config.ts:4:29`, relative to the working directory.
 * @returns Places by name, without those that the source does not show.
 */
export function locateVariables(
  caller: string | undefined,
  names: Iterable<string>,
): ReadonlyMap<string, string> {
  const [, file = '', line = '1'] = /^(.+):(\d+):\d+$/.exec(caller ?? '') ?? [];
  const lines = readLines(file);
  const found = [...names].flatMap((name): (readonly [string, string])[] => {
    const escaped = name.replace(/\W/g, '\\$&');
    const key = new RegExp(`(?<=^|[\\s{,(])["']?${escaped}\\??["']?\\s*:`);
    const places = lines.flatMap((text, index) => {
      const column = text.search(key);
      return column < 0 || /^\s*(?:\/\/|\*|\/\*)/.test(text) ? [] : [{ row: index + 1, column }];
    });
    const [only, other] = places;
    const place = places.find(({ row }) => row >= Number(line)) ?? (other ? undefined : only);
    return place === undefined ? [] : [[name, `${file}:${place.row}:${place.column + 1}`]];
  });
  return new Map(found);
}

function readLines(file: string): readonly string[] {
  try {
    return file === '' ? [] : readFileSync(file, 'utf8').split('\n');
  } catch {
    // A bundle may name sources that were not shipped.
    return [];
  }
}
