import { describe, expect, it } from 'vitest';
import { groupCommands } from './package-managers.ts';

const block = (...lines: readonly string[]) => `\`\`\`sh\n${lines.join('\n')}\n\`\`\``;

/** Returns the commands of each tab. */
const tabsOf = (...lines: readonly string[]) =>
  [...groupCommands(block(...lines)).matchAll(/^```sh \[(\w+)\]\n(.*?)\n```$/gms)].map(
    ([, name, commands]) => [name, commands],
  );

describe('the tabs of package managers', () => {
  it.each([
    ['npm install zod', 'pnpm add zod', 'yarn add zod', 'bun add zod'],
    ['npm install', 'pnpm install', 'yarn install', 'bun install'],
    [
      'npm install --save-dev typescript',
      'pnpm add --save-dev typescript',
      'yarn add --dev typescript',
      'bun add --dev typescript',
    ],
    [
      'npm create fairlead@latest my-app -- --template values',
      'pnpm create fairlead@latest my-app --template values',
      'yarn create fairlead my-app --template values',
      'bun create fairlead@latest my-app --template values',
    ],
    ['npm run dev', 'pnpm run dev', 'yarn run dev', 'bun run dev'],
    ['npm test', 'pnpm test', 'yarn test', 'bun run test'],
    ['npx tsc # twice', 'pnpm exec tsc # twice', 'yarn tsc # twice', 'bunx tsc # twice'],
  ])('translate %s', (npm, pnpm, yarn, bun) => {
    expect(tabsOf('cd my-app', npm)).toEqual([
      ['npm', `cd my-app\n${npm}`],
      ['pnpm', `cd my-app\n${pnpm}`],
      ['yarn', `cd my-app\n${yarn}`],
      ['bun', `cd my-app\n${bun}`],
    ]);
  });

  it('are a group of code for VitePress', () => {
    expect(groupCommands(`Text\n\n${block('npm test')}\n\nText`)).toMatch(
      /^Text\n\n::: code-group\n\n```sh \[npm\]\nnpm test\n```\n\n.*\n```\n\n:::\n\nText$/s,
    );
  });

  it.each([
    [['mkdir my-app']],
    [['npm pkg set type=module', 'npm test']],
    [['npx -y pnpm@12 start']],
    [['npm create fairlead@latest', 'pnpm create fairlead']],
  ])('leave %j as it is', (lines) => {
    expect(groupCommands(block(...lines))).toBe(block(...lines));
  });

  it('leave blocks that are tabs already as they are', () => {
    const tab = '```sh [Values]\nnpm install zod\n```';
    expect(groupCommands(tab)).toBe(tab);
  });
});
