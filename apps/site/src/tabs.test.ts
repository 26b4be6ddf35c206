import { expect, it } from 'vitest';
import { groupCode } from './tabs.ts';

const block = (info: string) => `\`\`\`${info}\nconst a = 1;\n\`\`\`\n`;

it('makes tabs of the code blocks between the marks', () => {
  const tabs = `\n**Functions**\n\n${block('ts')}\n**Values, Classes**\n\n${block('ts')}\n`;
  expect(groupCode(`Text\n\n<!-- tabs -->\n${tabs}<!-- /tabs -->\n\n${block('ts')}`)).toBe(
    `Text\n\n::: code-group\n\n${block('ts [Functions]')}\n${block('ts [Values, Classes]')}\n:::\n\n${block('ts')}`,
  );
});
