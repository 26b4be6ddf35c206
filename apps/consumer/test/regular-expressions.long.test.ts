import { check } from 'recheck';
import { expect, it } from 'vitest';
import { type Expression, findExpressions } from './support/regular-expressions.js';

/** What bounds the text that meets a regular expression which may take more than linear time. */
const BOUNDED: Readonly<Record<string, string>> = {
  [String(/Cannot find module '(.+?)' imported from /)]:
    'a message of Node.js about a file of the application',
  [String(/The requested module '(.+)' does not provide an export named '(.+)'$/)]:
    'a message of Node.js about a file of the application',
  [String(/((?:\/[^/:*]+)+)\1(?![^/])/)]: 'the pattern of a route, at the start',
  [String(/\{[^}]*\}|\[[^\]]*\]/g)]:
    'the parameters of a function of the application, at the start',
  [String(/[*?#(){}[\]<>|\\^\s\p{Cc}]|[+$](?<=:.*)/gu)]:
    'a segment of the pattern of a route, at the start',
  [String(/^.*#if (\w+).*\n([\s\S]*?)^.*#endif.*\n/gm)]: 'a template of create-fairlead',
  [String(/\bnode\b.*\.ts\b/)]: "a script in the application's package.json",
  [String(/\bstate\b.*\bsession\b/s)]: 'the source of a function of the application, at the start',
  [String(/^(?:async\s*)?(?:([\w$]+)\s*=>|[^(]*\(([^)]*)\))/)]:
    'the source of a factory of the application, at the start',
  [String(/^ *at (?:(.+) \()?(?:async )?((?:file:|\/|[A-Za-z]:\\).+?):(\d+:\d+)\)?$/gm)]:
    'a stack of the start, of at most Error.stackTraceLimit lines',
};

/** What the regular expressions are built from whose pattern is known only when the code runs. */
const BUILT: Readonly<Record<string, string>> = {
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: source code
  "new RegExp(`^([a-z]+://[^/?]*)?((?:/[^/?]*){${depth}})`, 'i')":
    'the depth of a prefix. Each segment matches in one way',
  'new RegExp(`\\\\b${CLASS_METHODS[kind]}\\\\b`)': 'the name of a method',
  "new RegExp(`^(?:${patterns.join('|')})$`, 'i')":
    'media types of a body parser, with `[^/]+` for asterisks',
  "new RegExp(source, 'u')": 'patternProperties in a schema of the application',
  'new RegExp(`-${kind}$`)': 'the kind of a file, from a list',
  'new RegExp( `${compared}|typeof ${one}\\\\b|!${one}(?![\\\\w$.(])|\\\\(${one}\\\\)\\\\s*(?:\\\\{|return\\\\b)`, )':
    'the name of a parameter of a factory, for its source',
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: source code
};

/** Enough for slow machines, because an expression without a verdict counts as slow. In milliseconds. */
const PATIENT = { timeout: 120_000 };

const expressions = findExpressions();

it('regular expressions take linear time in the length of the text, or meet bounded text', {
  timeout: 600_000,
}, async () => {
  const slow = new Map<string, Expression>();
  const distinct = new Map(expressions.map((expression) => [expression.code, expression]));
  for (const [code, expression] of distinct) {
    if (expression.pattern === undefined) continue;
    const { source, flags } = expression.pattern;
    const { status } = await check(source, flags, PATIENT);
    if (status !== 'safe') slow.set(code, expression);
  }
  const unexpected = [...slow.values()].filter(({ code }) => !Object.hasOwn(BOUNDED, code));
  expect(
    unexpected.map(({ file, code }) => `${file}: ${code}`),
    'Rewrite them.',
  ).toEqual([]);
  expect(
    Object.keys(BOUNDED).filter((code) => !slow.has(code)),
    'Remove these entries.',
  ).toEqual([]);
});

it('regular expressions that the code builds are known', () => {
  const built = expressions.filter(({ pattern }) => pattern === undefined).map(({ code }) => code);
  expect([...new Set(built)].sort()).toEqual(Object.keys(BUILT).sort());
});

it('regular expressions that take quadratic time are recognized', async () => {
  const { status } = await check(String.raw`\s+$`, '', PATIENT);
  expect(status).toBe('vulnerable');
});
