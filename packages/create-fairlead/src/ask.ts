import { createInterface } from 'node:readline/promises';
import { escapeControls } from '@fairlead/options';
import { namesOf, parseDatabase, parseTemplate, UsageError } from './command-line.js';
import { checkDirectory } from './project.js';
import { type Choice, DATABASES, DATABASES_OF, TEMPLATES } from './templates.js';

/** The user canceled the questions with Ctrl+C or Ctrl+D. */
export class CancelledError extends Error {
  override readonly name = 'CancelledError';
}

/** What to create, and where. */
export interface Answers extends Choice {
  readonly directory: string;
}

/** What the command line contains. */
export type Given = { readonly [Name in keyof Answers]?: Answers[Name] | undefined };

/**
 * Asks for what the command line left out, and for the choices of a template that it asked for. Asks again after an
 * invalid answer.
 *
 * @throws {CancelledError} When the input ends.
 */
export async function ask(
  given: Given,
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
        output.write(`${escapeControls(error.message)}\n`);
      }
    }
  }

  /** Asks for one of some names, or for its number. */
  async function choose<Name extends string>(
    title: string,
    names: readonly Name[],
    texts: Readonly<Record<Name, string>>,
    parse: (name: string) => Name,
  ): Promise<Name> {
    const lines = names.map((name, index) => `  ${index + 1}  ${name.padEnd(10)}${texts[name]}\n`);
    output.write(`${title}:\n${lines.join('')}`);
    return question('Number or name', '1', (answer) => parse(names[Number(answer) - 1] ?? answer));
  }

  try {
    const directory =
      given.directory ??
      (await question('Project folder', 'my-app', async (answer) => {
        await checkDirectory(answer, given.template && { ...given, template: given.template });
        return answer;
      }));
    if (given.template !== undefined) return { ...given, directory, template: given.template };
    const template = await choose('Templates', namesOf(TEMPLATES), TEMPLATES, parseTemplate);
    if (template === 'minimal') return { directory, template };
    const database = await choose('Databases', DATABASES_OF[template], DATABASES, (name) =>
      parseDatabase(name, template),
    );
    if (database === 'memory') return { directory, template, database };
    const auth = await question('Accounts and sign-in, yes or no', 'no', parseYesOrNo);
    const jobs = await question('Jobs in the background, yes or no', 'no', parseYesOrNo);
    return { directory, template, database, auth, jobs };
  } catch (error) {
    if (!closed.signal.aborted) throw error;
    throw new CancelledError('Canceled.');
  } finally {
    terminal.close();
  }
}

function parseYesOrNo(answer: string): boolean {
  const [, yes, no] = /^(?:(y|yes)|(n|no))$/i.exec(answer) ?? [];
  if (yes === undefined && no === undefined) throw new UsageError('Answer yes or no.');
  return yes !== undefined;
}
