import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  findExpressions,
  findSlowness,
  PROVEN,
  selectLinear,
} from './support/regular-expressions.js';

/** What the regular expressions are built from whose pattern is known only when the code runs. */
const BUILT: Readonly<Record<string, string>> = {
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: source code
  "new RegExp(`^([a-z]+://[^/?]*)?((?:/[^/?]*){${depth}})`, 'i')":
    'the depth of a prefix. Each segment matches in one way',
  "new RegExp(`(?<![\\\\w$])${method.replaceAll(/\\W/g, '\\\\$&')}(?![\\\\w$])`)":
    'the name of a method',
  'new RegExp(`^${DAY}$`)': 'constants, whose parts match in one way',
  'new RegExp(`^${DAY}T${TIME}Z$`)': 'the same',
  'new RegExp(`^${TIME}Z$`)': 'the same',
  'new RegExp(json.pattern)':
    'the pattern of a schema of the application, of which only the flags are read',
  "new RegExp(pattern, 'u')":
    'the pattern of a schema in a document, for the names and values of another document',
  'new RegExp(source, flags)': 'the pattern of a schema of the application, for its own responses',
  "new RegExp(source, 'u')": 'patternProperties in a schema of the application',
  'new RegExp(`(?<=^|[\\\\s{,(])["\']?${escaped}\\\\??["\']?\\\\s*:`)':
    'the name of an environment variable, for the source that defines it',
  'new RegExp(`^${source}/?$`)':
    'the path of a route of the application, with `([^/]+)` for parameters',
  'new RegExp(`:${name}(?![\\\\w?])`)': 'the name of a parameter, in a pattern of the application',
  'new RegExp(`-${kind}$`)': 'the kind of a file, from a list',
  'new RegExp( `${compared}|typeof ${one}\\\\b|!${one}(?![\\\\w$.(])|\\\\(${one}\\\\)\\\\s*(?:\\\\{|return\\\\b)`, )':
    'the name of a parameter of a factory, for its source',
  'new RegExp(`${assigned}|${defined}`)': 'the name of a method, for the source of its class',
  'new RegExp( String.raw`\\bthis\\b(?!\\s*\\.)|\\]${GAP}=(?![=>])|\\bnew\\s*\\.\\s*target\\b|[^\\s{};]\\s*\\bsuper\\s*\\(|\\b(?:eval|prototype|__proto__|valueOf)\\b|\\\\[ux]`, )':
    'a constant, for the source of a class',
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: source code
};

const expressions = findExpressions();

it('regular expressions take linear time in the length of the text, or meet bounded text', {
  timeout: 600_000,
}, async () => {
  const proven = new Set(readFileSync(PROVEN, 'utf8').split('\n'));
  const slow: string[] = [];
  for (const [code, { pattern, file }] of selectLinear(expressions)) {
    if (proven.has(code)) continue;
    const slowness = await findSlowness(pattern);
    if (slowness !== undefined) slow.push(`${file}: ${code} (${slowness})`);
  }
  expect(slow, 'Rewrite them.').toEqual([]);
});

it('regular expressions that the code builds are known', () => {
  const built = expressions.filter(({ pattern }) => pattern === undefined).map(({ code }) => code);
  expect([...new Set(built)].sort()).toEqual(Object.keys(BUILT).sort());
});

it('regular expressions that take quadratic time are recognized', async () => {
  expect(await findSlowness(/\s+$/)).toContain('polynomial');
});
