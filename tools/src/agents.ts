import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The end of each file. */
const CHECK = `Every call refuses unknown options and wrong types, and names the nearest one. Read the types in \`dist\` instead of guessing.
Run \`npx tsc --noEmit\`, then \`npm run check\` if the project has that script. Otherwise install \`fairlead\`, and run
\`npx fairlead check\`, with the module that creates the application unless it is \`src/app.ts\`, and with
\`--import @oxc-node/core/register\` if it has decorators. It runs all checks of the startup, without a port or a database. A
message names the place and the fix. \`routes\` in place of \`check\` lists the routes. In tests,
\`await app.request('/path', init)\` sends a request through the whole application, and resolves to a \`Response\`.`;

/** How many guides to link. */
const GUIDES = 6;

/** What begins the part of the file that people write, and what follows it. */
const OWN = /^## Use\n.*?(?=^## (?:Exports|Check your work)\n|$(?![\s\S]))/ms;

/** The command of a README that installs the package. */
const INSTALL = /^```sh\n(?:(?!```).*\n)*?(npm (?:install|create) [^#\n]*)/m;

/** A link. Its text may contain code. */
const LINK = /\[((?:`[^`]*`|[^[\]])*)\]\(([^()\s]+)\)/g;

/**
 * Returns the text of the `AGENTS.md` of a package: what its author has written under "Use" and "Rules", between parts
 * that come from the README, from the exports, and from this file.
 *
 * @param workspace - The folder of the repository.
 * @param name - The folder name of the package.
 */
export function renderAgents(workspace: string, name: string): string {
  const folder = join(workspace, 'packages', name);
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  const file = join(folder, 'AGENTS.md');
  const [own = '## Use\n\n## Rules\n'] =
    OWN.exec(existsSync(file) ? readFileSync(file, 'utf8') : '') ?? [];
  const [title = '', purpose = ''] = readme.split(/\n{2,}/);
  const [, install = ''] = INSTALL.exec(readme) ?? [];
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const exported = describeExports(folder, manifest);
  return `${[
    title,
    wrap(`${purpose.replaceAll(LINK, '$1')} Install it with ${code(install.trim())}.`, ''),
    own.trim(),
    ...(exported === '' ? [] : [`## Exports\n\n${exported}`]),
    `## Check your work\n\n${wrap(CHECK, '')}`,
    `## Read more\n\n${describeGuides(workspace, readme, manifest.homepage)}`,
  ].join('\n\n')}\n`;
}

/** The parts of a package.json that this file reads. */
interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  /** The address of the documentation. */
  readonly homepage?: string;
}

/** Lists what can be imported from each module, except modules for authors of packages. */
function describeExports(folder: string, { name, exports = {} }: Manifest): string {
  const modules = Object.entries(exports).flatMap(([path, target]) => {
    if (typeof target === 'string' || path === './extend') return [];
    const source = readFileSync(join(folder, target['@fairlead/source'] ?? ''), 'utf8');
    return [`${name}${path.slice(1)}: ${namesIn(source).map(code).join(', ')}`];
  });
  return modules.map((line) => wrap(`- ${line}`, '  ')).join('\n');
}

const code = (name: string) => `\`${name}\``;

/** Returns the values that a module exports, without its types. */
function namesIn(source: string): readonly string[] {
  const lists = [...source.matchAll(/^export \{(.*?)\}/gms)].flatMap(([, list = '']) =>
    list.split(','),
  );
  const declared = [...source.matchAll(/^export (?:async )?(?:function|const|class) (\w+)/gm)];
  return [...lists.map((entry) => entry.trim()), ...declared.map(([, name = '']) => name)]
    .filter((entry) => entry !== '' && !entry.startsWith('type '))
    .map((entry) => entry.replace(/^.* as /, ''))
    .toSorted((a, b) => a.localeCompare(b, 'en'));
}

/** Links the README, and names the guides that it links. Files of `docs` are not in the package. */
function describeGuides(workspace: string, readme: string, homepage: string | undefined): string {
  const site = homepage?.replace(/\/$/, '');
  const page = (title: string, path: string) =>
    site === undefined ? title : `[${title}](${site}/${path})`;
  const index = readFileSync(join(workspace, 'docs/README.md'), 'utf8');
  const links = [...index.matchAll(/^- \[(.+)\]\((guides\/[\w-]+\.md)\)/gm)]
    .filter(([, , path]) => readme.includes(`docs/${path}`))
    .slice(0, GUIDES)
    .map(([, title = '', path = '']) => page(title, path));
  const guides = links.length === 0 ? '' : ` Guides there: ${links.join(', ')}.`;
  const reference = page('error reference', 'errors.md');
  return wrap(
    `[README.md](README.md) lists all options, and the ${reference} of the documentation all errors.${guides}`,
    '',
  );
}

/** Breaks a paragraph into lines of at most 120 characters. */
function wrap(text: string, indent: string): string {
  const lines = [''];
  // Code and links stay on one line.
  for (const word of text.match(/(?:`[^`]*`|\[[^\]]*\]\S*|\S)+/g) ?? []) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && last.length + word.length >= 120) lines.push(indent + word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines.join('\n');
}
