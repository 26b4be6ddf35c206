/** Writes a message as errors of the start do: a sentence, then what else is known. */
export function message(title: string, ...details: readonly string[]): string {
  return [title, ...details.map((detail) => `  ${detail}`)].join('\n');
}

/** Writes the message for something that the container has refused: what, where, and why. */
export function refusal(subject: string, cause: unknown, place?: string): string {
  const [problem = '', ...details] = String((cause as Error).message).split('\n');
  const at = place === undefined ? [] : [`At: ${place}`];
  return message(
    `Cannot resolve ${subject}: ${problem}`,
    ...at,
    ...details.map((detail) => detail.trim()),
  );
}

/** The same for what a decorator or an option names, which no parameter asks for. */
export function tokenRefusal(subject: string, cause: unknown, place?: string): string {
  return refusal(subject, cause, place).replace(', or mark the parameter with @Optional()', '');
}
