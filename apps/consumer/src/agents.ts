import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The end of each file. */
const CHECK = `Every call refuses unknown options and wrong types, and names the nearest one. Read the types in \`dist\` instead of guessing.
Run \`npx tsc --noEmit\`, then \`npx fairlead check\` (\`npm install --save-dev fairlead\`): all checks of the startup, without a
port or a database. A message names the place and the fix. \`npx fairlead routes\` lists the routes. In tests,
\`await app.request('/path', init)\` sends a request through the whole application, and resolves to a \`Response\`.`;

/** How many guides to link. */
const GUIDES = 6;

/** What begins the part of the file that people write, and what follows it. */
const OWN = /^## Use\n.*?(?=^## (?:Exports|Check your work)\n|$(?![\s\S]))/ms;

/** A link. Its text may contain code. */
const LINK = /\[((?:`[^`]*`|[^[\]])*)\]\(([^()\s]+)\)/g;

/**
 * Returns the text of the `AGENTS.md` of a package: what its author has written under "Use" and "Rules", between parts
 * that come from the README, from the exports, and from this file.
 *
 * @param workspace - The folder of the repository.
 * @param name - The folder name of the package.
 * @param site - The address of the documentation; by default, links are relative, as in READMEs.
 */
export function renderAgents(workspace: string, name: string, site?: string): string {
  const folder = join(workspace, 'packages', name);
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  const file = join(folder, 'AGENTS.md');
  const [own = '## Use\n\n## Rules\n'] =
    OWN.exec(existsSync(file) ? readFileSync(file, 'utf8') : '') ?? [];
  const [title = '', purpose = ''] = readme.split(/\n{2,}/);
  const [, install = ''] = /^```sh\n(.*?)^```$/ms.exec(readme) ?? [];
  const exported = describeExports(folder);
  return `${[
    title,
    wrap(
      `${purpose.replaceAll(LINK, '$1')} Install it with ${code(install.split(/ #|\n/)[0] ?? '')}.`,
      '',
    ),
    own.trim(),
    ...(exported === '' ? [] : [`## Exports\n\n${exported}`]),
    `## Check your work\n\n${wrap(CHECK, '')}`,
    `## Read more\n\n${describeGuides(workspace, readme, site)}`,
  ].join('\n\n')}\n`;
}

/** Lists what can be imported from each module, except modules for authors of packages. */
function describeExports(folder: string): string {
  const { name, exports = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const modules = Object.entries<string | Record<string, string>>(exports).flatMap(
    ([path, target]) => {
      if (typeof target === 'string' || path === './extend') return [];
      const source = readFileSync(join(folder, target['@fairlead/source'] ?? ''), 'utf8');
      return [`${name}${path.slice(1)}: ${namesIn(source).map(code).join(', ')}`];
    },
  );
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

/** Links the README, and the guides that it links. */
function describeGuides(workspace: string, readme: string, site: string | undefined): string {
  const index = readFileSync(join(workspace, 'docs/README.md'), 'utf8');
  const links = [...index.matchAll(/^- \[(.+)\]\((guides\/[\w-]+\.md)\)/gm)]
    .filter(([, , path]) => readme.includes(`docs/${path}`))
    .slice(0, GUIDES)
    .map(([, title, path]) => `[${title}](${site ?? '../../docs'}/${path})`);
  const guides = links.length === 0 ? '' : ` Guides: ${links.join(', ')}.`;
  return wrap(
    `[README.md](README.md) lists all options, [errors.md](${site ?? '../../docs'}/errors.md) all errors.${guides}`,
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
