/** The shortest part of a value that a message must not repeat, in UTF-16 code units. */
const SHORTEST_PART = 4;

/** Whether a message repeats a text, a part of it, or the number that it spells. */
export function repeats(message: string, text: string): boolean {
  const [haystack, needle] = [message.toLowerCase(), text.toLowerCase()];
  for (let start = 0; start + SHORTEST_PART <= haystack.length; start += 1) {
    if (needle.includes(haystack.slice(start, start + SHORTEST_PART))) return true;
  }
  return standsIn(haystack, needle) || standsIn(haystack, String(Number(text)));
}

/** Whether a short text stands in another one as a word. */
function standsIn(text: string, word: string): boolean {
  if (word === '') return false;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const around = `${text[at - 1] ?? ' '}${text[at + word.length] ?? ' '}`;
    if (!/[\p{L}\p{N}]/u.test(around)) return true;
  }
  return false;
}

/**
 * Returns another text of the same length and shape; undefined for a text without letters and digits. A message that is
 * the same for both does not tell them apart, so it repeats neither.
 */
export function standInFor(text: string): string | undefined {
  const other = text
    .replace(/[a-z]/gi, nextLetter)
    .replace(/\d/g, (digit) => `${(+digit + 1) % 10}`);
  return other === text ? undefined : other;
}

function nextLetter(letter: string): string {
  if (/z/i.test(letter)) return letter === 'z' ? 'a' : 'A';
  return String.fromCharCode(letter.charCodeAt(0) + 1);
}
