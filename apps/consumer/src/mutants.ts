/** Small changes to a program, each of which some test should notice. */
import ts from 'typescript';

/** A change to one place of a source file. */
export interface Mutant {
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
