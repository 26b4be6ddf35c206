/** Small changes to a program, each of which some test should notice. */
import ts from 'typescript';

/** A change to one place of a source file. */
export interface Mutant {
  /** The index of the change in the source. */
  readonly start: number;
  /** The line of the change, from 1. */
  readonly line: number;
  readonly before: string;
  readonly after: string;
  /** The source with the change. */
  readonly code: string;
}

/** What takes the place of operators. */
const OPERATORS: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '&&': ['||'],
  '||': ['&&'],
  '+=': ['-='],
  '-=': ['+='],
  '-': ['+'],
  '*': ['/'],
};

/** Methods whose result resembles their object. */
const SIMILAR = new Set(['toLowerCase', 'toUpperCase', 'trim', 'slice', 'filter', 'toSorted']);

/** Lists the mutants of a source file, in the order of their places. */
export function mutantsOf(source: string): readonly Mutant[] {
  const file = ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true);
  const mutants: Mutant[] = [];
  const replace = (node: ts.Node, after: string): void => {
    const start = node.getStart(file);
    mutants.push({
      start,
      line: file.getLineAndCharacterOfPosition(start).line + 1,
      before: node.getText(file),
      after,
      code: source.slice(0, start) + after + source.slice(node.end),
    });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node)) return;
    for (const after of replacementsOf(node, file)) replace(node, after);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return mutants;
}

function replacementsOf(node: ts.Node, file: ts.SourceFile): readonly string[] {
  const text = node.getText(file);
  if (ts.isToken(node) && ts.isBinaryExpression(node.parent) && node.parent.operatorToken === node)
    return OPERATORS[text] ?? [];
  if (text === 'true' || text === 'false') return [text === 'true' ? 'false' : 'true'];
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
    return [node.operand.getText(file)];
  if (ts.isNumericLiteral(node)) return [String(Number(text.replaceAll('_', '')) + 1)];
  if (ts.isRegularExpressionLiteral(node) && /\/[a-z]*i[a-z]*$/.test(text))
    return [text.replace(/i(?=[a-z]*$)/, '')];
  if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression)) {
    // The constructor of a derived class needs the call.
    return node.expression.expression.kind === ts.SyntaxKind.SuperKeyword ? [] : [';'];
  }
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const { name, expression } = node.expression;
    return SIMILAR.has(name.text) ? [expression.getText(file)] : [];
  }
  if (ts.isIfStatement(node) && node.elseStatement === undefined) return ['{}'];
  return [];
}

/** A part of a program that runs only if its start does. */
interface Block {
  readonly start: number;
  readonly end: number;
  /** Where a call that notes the run of the block fits. */
  readonly entry: number;
  /** Whether the block is the expression of an arrow function. */
  readonly isExpression: boolean;
}

/** Lists the blocks of a source file, each before those in it. */
function blocksOf(source: string): readonly Block[] {
  const file = ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true);
  const entry = file.statements[0]?.getStart(file) ?? 0;
  const blocks: Block[] = [{ start: 0, end: source.length, entry, isExpression: false }];
  const visit = (node: ts.Node): void => {
    const { end } = node;
    const start = node.getStart(file);
    if (ts.isBlock(node)) {
      blocks.push({ start, end, entry: start + 1, isExpression: false });
    } else if (ts.isArrowFunction(node.parent) && node.parent.body === node) {
      blocks.push({ start, end, entry: start, isExpression: true });
    }
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(file, visit);
  return blocks;
}

/** Returns the position, in the order of `instrument()`, of the innermost block of a source that has a place in it. */
export function blockAt(source: string, place: number): number {
  return blocksOf(source).findLastIndex(({ start, end }) => start <= place && place < end);
}

/** Returns a source whose blocks call `globalThis.__ran` with a name and their position. Lines stay what they are. */
export function instrument(source: string, name: string): string {
  const insertions = blocksOf(source).flatMap(({ entry, end, isExpression }, position) => {
    const call = `globalThis.__ran?.(${JSON.stringify(name)}, ${position})`;
    return isExpression
      ? [
          { at: entry, text: `(${call}, ` },
          { at: end, text: ')' },
        ]
      : [{ at: entry, text: `${call};` }];
  });
  let result = source;
  for (const { at, text } of insertions.toSorted((one, other) => other.at - one.at)) {
    result = result.slice(0, at) + text + result.slice(at);
  }
  return result;
}
