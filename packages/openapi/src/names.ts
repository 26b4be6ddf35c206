/** Joins the words of a string, each with a capital letter: `user-id` is `UserId`. Drops other characters. */
export function toPascalCase(text: string): string {
  if (/^[A-Za-z0-9]*$/.test(text)) return capitalize(text);
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '');
  return (plain.match(/[A-Za-z0-9]+/g) ?? []).map(capitalize).join('');
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Returns a name that is not taken: the given one, or with the first number from 2 that makes it unique. */
export function findFreeName(name: string, taken: { has(name: string): boolean }): string {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : `${name}${number}`;
    if (!taken.has(candidate)) return candidate;
  }
}
