import { createInterface } from 'node:readline/promises';
import { parseTemplate, UsageError } from './command-line.js';
import { checkDirectory } from './project.js';
import { TEMPLATES, type Template } from './templates.js';

/** The user canceled the questions with Ctrl+C or Ctrl+D. */
export class CancelledError extends Error {
  override readonly name = 'CancelledError';
}

/** What to create, and where. */
export interface Answers {
  readonly directory: string;
  readonly template: Template;
}

/**
 * Asks for what the command line left out. Asks again after an invalid answer.
 *
 * @throws {CancelledError} When the input ends.
 */
export async function ask(
  given: { readonly [Name in keyof Answers]: Answers[Name] | undefined },
  { input, output }: { input: NodeJS.ReadableStream; output: NodeJS.WritableStream },
): Promise<Answers> {
  const terminal = createInterface({ input, output });
  const closed = new AbortController();
  terminal.once('close', () => closed.abort());

  async function question<T>(text: string, fallback: string, parse: (answer: string) => T) {
    for (;;) {
      const answer = await terminal.question(`${text} (${fallback}): `, { signal: closed.signal });
      try {
        return await parse(answer.trim() || fallback);
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        output.write(`${error.message}\n`);
      }
    }
  }

  try {
    const directory =
      given.directory ??
      (await question('Project folder', 'my-app', async (answer) => {
        await checkDirectory(answer, given.template);
        return answer;
      }));
    if (given.template !== undefined) return { directory, template: given.template };
    const names = Object.keys(TEMPLATES);
    const lines = Object.entries(TEMPLATES).map(
      ([name, text], index) => `  ${index + 1}  ${name.padEnd(10)}${text}\n`,
    );
    output.write(`Templates:\n${lines.join('')}`);
    const template = await question('Number or name of the template', '1', (answer) =>
      parseTemplate(names[Number(answer) - 1] ?? answer),
    );
    return { directory, template };
  } catch (error) {
    if (!closed.signal.aborted) throw error;
    throw new CancelledError('Canceled.');
  } finally {
    terminal.close();
  }
}
