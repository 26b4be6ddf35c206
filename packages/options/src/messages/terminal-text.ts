/** Matches what is not text: control characters, the line separators of Unicode, and what reverses the text after it. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/**
 * Writes the characters that control a terminal as escapes, such as `\u001b`, so that text of others can neither
 * send commands to it nor hide or reorder what it shows. Line breaks and tabs stay.
 *
 * Text in JSON and in string literals keeps its value.
 *
 * @see ECMA-48 §5, UAX #9 §2
 */
export function escapeControls(text: string): string {
  return text.replace(CONTROL, (character, index: number) => {
    const isText =
      character === '\n' || character === '\t' || (character === '\r' && text[index + 1] === '\n');
    return isText ? character : escapeOne(character);
  });
}

/** Same as {@link escapeControls}, for text within a line: escapes line breaks and tabs, too. */
export function escapeLine(text: string): string {
  return text.replace(CONTROL, escapeOne);
}

function escapeOne(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
