/**
 * Turns the code blocks between `<!-- tabs -->` and `<!-- /tabs -->` into tabs, which VitePress calls a code group.
 * GitHub shows the same blocks below each other. The name of each tab is in bold before its block.
 */
export function groupCode(text: string): string {
  return text.replaceAll(/^<!-- tabs -->\n(.*?)^<!-- \/tabs -->$/gms, (_, blocks: string) => {
    const named = blocks.replaceAll(/^\*\*(.+)\*\*\n\n```(\w+)$/gm, '```$2 [$1]');
    return `::: code-group\n${named}:::`;
  });
}
