/** Numbers messages below a title, for an error that reports several problems. */
export function numberMessages(title: string, messages: readonly string[]): string {
  const width = String(messages.length).length;
  const texts = messages.map((message, index) => {
    const number = `  ${String(index + 1).padStart(width)}. `;
    return `${number}${message.replaceAll('\n', `\n${' '.repeat(number.length)}`)}`;
  });
  return [title, ...texts].join('\n\n');
}

/** Explains how to end up with one copy of a package. Starts in lower case. */
export function explainOneCopy(name: string): string {
  return `install one version of ${name}. \`npm ls ${name}\` shows which packages need which version, and \`npm dedupe\` removes unnecessary copies.`;
}

/** Makes properties of an error invisible to `console.log` and to reports of uncaught errors. */
export function hideProperties(error: Error, ...names: readonly string[]): void {
  for (const name of names) {
    if (Object.hasOwn(error, name)) Object.defineProperty(error, name, { enumerable: false });
  }
}

/**
 * Returns a function that passes errors to the option `onError` of a call, and prints those that it throws: its callers
 * have nobody else to tell.
 */
export function reporterOf(
  call: string,
  onError: (error: unknown) => void = (error) => console.error(error),
): (error: unknown) => void {
  return (error) => {
    try {
      onError(error);
    } catch (cause) {
      console.error(error, new Error(`onError of ${call} failed.`, { cause }));
    }
  };
}
