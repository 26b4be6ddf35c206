const TOKENS = /\\[pPuk]\{[^}]*\}|\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\{\d+(?:,\d*)?\}|[\s\S]/gu;

const SETS: Readonly<Record<string, readonly string[]>> = {
  '\\d': ['0-9'],
  '\\w': ['0-9', 'A-Z', '_', 'a-z'],
};

/** Writes a pattern in one way, so that `\d{1,}` and `[0-9]+` are the same. Others may still match the same texts. */
export function canonicalPattern(pattern: string): string {
  const tokens = pattern.match(TOKENS) ?? [];
  return tokens
    .map((token, index) => {
      const set = SETS[token];
      if (set !== undefined) return `[${set.join('')}]`;
      if (token.length > 1 && token.startsWith('[')) return canonicalSet(token);
      // It is lazy with a question mark.
      return tokens[index + 1] === '?' ? token : canonicalCount(token);
    })
    .join('');
}

function canonicalSet(text: string): string {
  const [, sign = '', inner = ''] = /^\[(\^?)([\s\S]*)\]$/u.exec(text) ?? [];
  const members = inner.match(/\\[dw]|[^\\-]-[^\\-]|[^\\-]/gu) ?? [];
  if (members.join('') !== inner) return text;
  const ranges = members.flatMap((member) => SETS[member] ?? member);
  return `[${sign}${[...new Set(ranges)].sort().join('')}]`;
}

function canonicalCount(token: string): string {
  const [, least, comma = '', most = ''] = /^\{(\d+)(?:(,)(\d*))?\}$/.exec(token) ?? [];
  if (least === undefined) return token;
  const count = `${Number(least)}${comma}${most}`;
  if (comma === '' || least === most) return Number(least) === 1 ? '' : `{${Number(least)}}`;
  return { '0,': '*', '1,': '+', '0,1': '?' }[count] ?? `{${count}}`;
}
