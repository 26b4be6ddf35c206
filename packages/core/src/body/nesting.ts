/**
 * Tells whether a JSON text nests arrays and objects deeper than a limit, without parsing it.
 *
 * @param text - A JSON text; of a malformed one the answer means nothing.
 * @param limit - Levels that are accepted.
 */
export function nestsDeeper(text: string, limit: number): boolean {
  // A level costs two characters at least.
  if (text.length <= 2 * limit) return false;
  let depth = 0;
  let isString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (isString) {
      if (character === '\\') index += 1;
      else if (character === '"') isString = false;
    } else if (character === '"') isString = true;
    else if (character === '[' || character === '{') {
      depth += 1;
      if (depth > limit) return true;
    } else if (character === ']' || character === '}') depth -= 1;
  }
  return false;
}
