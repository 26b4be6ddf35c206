/** Formats a message like startup errors: a sentence, then indented details. */
export function message(title: string, ...details: readonly string[]): string {
  return [title, ...details.map((detail) => `  ${detail}`)].join('\n');
}

/**
 * Formats the message for a token that the container cannot resolve.
 *
 * @param location - Shown unless the container's error names a place.
 */
export function refusal(subject: string, cause: unknown, location?: string): string {
  const [problem = '', ...details] = String((cause as Error).message).split('\n');
  const isLocated = location === undefined || details.some((detail) => detail.startsWith('  At: '));
  const at = isLocated ? [] : [`At: ${location}`];
  return message(
    `Cannot resolve ${subject}: ${problem}`,
    ...at,
    ...details.map((detail) => detail.trim()),
  );
}

/** Does the same for a token in a decorator or an option, which is not a parameter. */
export function tokenRefusal(subject: string, cause: unknown, location?: string): string {
  return refusal(subject, cause, location).replace(', or mark the parameter with @Optional()', '');
}
