/** How each package manager writes a command of npm: a function of the arguments, by the beginning of the command. */
type Commands = Readonly<Record<string, (rest: string) => string>>;

const prefix = (text: string) => (rest: string) => `${text} ${rest}`.trimEnd();
const add = (name: string) => (rest: string) =>
  `${name} ${rest === '' ? 'install' : `add ${rest}`}`;
/** Other package managers pass on options without `--`. */
const run = (text: string) => (rest: string) => prefix(text)(rest.replace(/(^| )-- /, '$1'));

const MANAGERS: Readonly<Record<string, Commands>> = {
  pnpm: {
    'npm install': add('pnpm'),
    'npm create': run('pnpm create'),
    'npm run': run('pnpm run'),
    'npm test': run('pnpm test'),
    'npm start': run('pnpm start'),
    npx: prefix('pnpm exec'),
  },
  yarn: {
    'npm install': (rest) => add('yarn')(rest.replace('--save-dev', '--dev')),
    // Yarn 1 knows no version here.
    'npm create': (rest) => run('yarn create')(rest.replace('@latest', '')),
    'npm run': run('yarn run'),
    'npm test': run('yarn test'),
    'npm start': run('yarn start'),
    npx: prefix('yarn'),
  },
  bun: {
    'npm install': (rest) => add('bun')(rest.replace('--save-dev', '--dev')),
    'npm create': run('bun create'),
    'npm run': run('bun run'),
    'npm test': run('bun run test'),
    'npm start': run('bun run start'),
    npx: prefix('bunx'),
  },
};

/**
 * Turns each block of commands of npm into tabs for npm, pnpm, Yarn and Bun. A block stays as it is if one of its
 * commands has no translation.
 */
export function groupCommands(text: string): string {
  return text.replaceAll(/^```sh\n(.*?)^```$/gms, (block, commands: string) => {
    const lines = commands.split('\n');
    const translated = Object.entries(MANAGERS).map(
      ([name, manager]) => [name, lines.map((line) => translate(line, manager))] as const,
    );
    const isComplete = translated.every(([, lines]) => lines.every((line) => line !== undefined));
    if (!isComplete || !/^(?:npm|npx) /m.test(commands)) return block;
    const tabs = [['npm', lines] as const, ...translated].map(
      ([name, lines]) => `\`\`\`sh [${name}]\n${lines.join('\n')}\`\`\``,
    );
    return `::: code-group\n\n${tabs.join('\n\n')}\n\n:::`;
  });
}

/** Returns a line as a package manager needs it; `undefined` if it has no translation. */
function translate(line: string, manager: Commands): string | undefined {
  const [, command, rest = '', comment = ''] =
    /^(npm \w+|npx)(?: (?!-y )(.*?))?( *#.*)?$/.exec(line) ?? [];
  if (command === undefined) return /^(?:npm|npx|pnpm|yarn|bun)\b/.test(line) ? undefined : line;
  const write = manager[command];
  return write && `${write(rest)}${comment}`;
}
