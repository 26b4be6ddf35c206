import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { check } from 'recheck';
import ts from 'typescript';
import { workspace } from './project.js';

/** A regular expression in the source of a package. */
export interface Expression {
  /** The text of the literal, or of the call of `RegExp`. */
  readonly code: string;
  readonly file: string;
  /** Undefined if the pattern is known only when the code runs. */
  readonly pattern: RegExp | undefined;
}

/** What bounds the text that meets a regular expression which may take more than linear time. */
export const BOUNDED: Readonly<Record<string, string>> = {
  [String(/Cannot find module '(.+?)' imported from /)]:
    'a message of Node.js about a file of the application',
  [String(/The requested module '(.+)' does not provide an export named '(.+)'$/)]:
    'a message of Node.js about a file of the application',
  [String(/((?:\/[^/:*]+)+)\1(?![^/])/)]: 'the pattern of a route, at the start',
  [String(/\{[^}]*\}|\[[^\]]*\]/g)]:
    'the parameters of a function of the application, at the start',
  [String(/[*?#(){}[\]<>|\\^\s\p{Cc}]|[+$](?<=:.*)/gu)]:
    'a segment of the pattern of a route, at the start',
  [String(/^.*#if ([\w! ]+).*\n([\s\S]*?)^.*#endif.*\n/gm)]: 'a template of create-fairlead',
  [String(/\bnode\b.*\.ts\b/)]: "a script in the application's package.json",
  [String(/\bstate\b.*\bsession\b/s)]: 'the source of a function of the application, at the start',
  [String(/^(?:async\s*)?(?:([\w$]+)\s*=>|[^(]*\(([^)]*)\))/)]:
    'the source of a factory of the application, at the start',
  [String(/^ *at (?:(.+) \()?(?:async )?((?:file:|\/|[A-Za-z]:\\).+?):(\d+:\d+)\)?$/gm)]:
    'a stack of the start, of at most Error.stackTraceLimit lines',
};

/** The expressions that take linear time, as test/regular-expressions.extra.test.ts has proven. */
export const PROVEN = join(workspace, 'apps/consumer/fixtures/linear-expressions.txt');

/** Selects the expressions that are to take linear time, once each. */
export function selectLinear(
  expressions: readonly Expression[],
): ReadonlyMap<string, Expression & { readonly pattern: RegExp }> {
  const found = expressions.flatMap((one) => {
    const { code, pattern } = one;
    return pattern === undefined || Object.hasOwn(BOUNDED, code) ? [] : [{ ...one, pattern }];
  });
  return new Map(found.map((one) => [one.code, one]));
}

/**
 * Why a regular expression may take more than linear time; undefined if it can't. A search for an attack is quick, but
 * gives up at its time limit, and has reported a linear pattern on a busy machine. What it doesn't clear is decided
 * by the automaton of the pattern.
 */
export async function findSlowness({ source, flags }: RegExp): Promise<string | undefined> {
  let reason: string | undefined;
  for (const checker of ['auto', 'automaton'] as const) {
    const result = await check(source, flags, { checker, timeout: 120_000, randomSeed: 1 });
    if (result.status === 'safe') return undefined;
    if (result.status === 'vulnerable') reason = result.complexity.summary;
    else reason ??= `unknown, ${result.error.kind}`;
  }
  return reason;
}

/** The initializers of constants by name. */
type Constants = ReadonlyMap<string, ts.Expression>;

/** Finds the regular expressions of all packages, outside of their tests. */
export function findExpressions(): Expression[] {
  return globSync('packages/*/src', { cwd: workspace }).flatMap((folder) => {
    const sources = globSync('**/*.ts', { cwd: join(workspace, folder) })
      .filter((file) => !/\.test(?:-d)?\.ts$/.test(file))
      .map((file) => parse(join(folder, file)));
    const shared = new Map(sources.flatMap((source) => [...constantsOf(source)]));
    return sources.flatMap((source) => expressionsOf(source, shared));
  });
}

function parse(file: string): ts.SourceFile {
  const text = readFileSync(join(workspace, file), 'utf8');
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
}

function constantsOf(source: ts.SourceFile): Constants {
  const constants = new Map<string, ts.Expression>();
  for (const statement of source.statements) {
    const declarations = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations
      : [];
    for (const { name, initializer } of declarations) {
      if (ts.isIdentifier(name) && initializer) constants.set(name.text, initializer);
    }
  }
  return constants;
}

/** @param shared - The constants of the package. Those of the file take precedence. */
function expressionsOf(source: ts.SourceFile, shared: Constants): Expression[] {
  const constants = new Map([...shared, ...constantsOf(source)]);
  const found: Expression[] = [];
  const visit = (node: ts.Node): void => {
    const isCall = ts.isNewExpression(node) || ts.isCallExpression(node);
    if (ts.isRegularExpressionLiteral(node)) {
      found.push({ code: node.text, file: source.fileName, pattern: literalOf(node) });
    } else if (isCall && node.expression.getText() === 'RegExp') {
      const parts = (node.arguments ?? []).map((argument) => textOf(argument, constants));
      const [pattern, flags] = parts;
      const isKnown = pattern !== undefined && !parts.includes(undefined);
      found.push({
        code: node.getText().replace(/\s+/g, ' '),
        file: source.fileName,
        pattern: isKnown ? new RegExp(pattern, flags) : undefined,
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function literalOf({ text }: ts.RegularExpressionLiteral): RegExp {
  const end = text.lastIndexOf('/');
  return new RegExp(text.slice(1, end), text.slice(end + 1));
}

/** Evaluates text that is built from constants; undefined if it is not. */
function textOf(node: ts.Expression, constants: Constants): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isIdentifier(node)) {
    const initializer = constants.get(node.text);
    return initializer && textOf(initializer, constants);
  }
  if (ts.isPropertyAccessExpression(node) && node.name.text === 'source') {
    const literal = ts.isIdentifier(node.expression) && constants.get(node.expression.text);
    return literal && ts.isRegularExpressionLiteral(literal)
      ? literalOf(literal).source
      : undefined;
  }
  if (!ts.isTemplateExpression(node)) return undefined;
  const spans = node.templateSpans.map(({ expression, literal }) => {
    const text = textOf(expression, constants);
    return text === undefined ? undefined : text + literal.text;
  });
  return spans.includes(undefined) ? undefined : node.head.text + spans.join('');
}
