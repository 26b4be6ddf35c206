import { resolve } from 'node:path';
import ts from 'typescript';

/** The directory of the mistakes. */
const ROWS = resolve(import.meta.dirname, '../../rows');

/** What the compiler says about each mistake, by area and title. Absent for those that compile. */
export type CompilerErrors = ReadonlyMap<string, readonly string[]>;

/** Identifies a mistake. */
export function keyOf({ area, title }: { readonly area: string; readonly title: string }): string {
  return `${area}: ${title}`;
}

/**
 * Checks the types of all mistakes.
 *
 * @throws {Error} For an error outside of a mistake.
 */
export function compileMistakes(): CompilerErrors {
  const program = createProgram();
  const errors = new Map<string, string[]>();
  // Only of the mistakes: each package checks its own files.
  const diagnostics = program.getRootFileNames().flatMap((name) => {
    const file = program.getSourceFile(name);
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
  });
  for (const diagnostic of diagnostics) {
    const key = keyAt(diagnostic);
    errors.set(key, [...(errors.get(key) ?? []), textOf(diagnostic)]);
  }
  return errors;
}

function createProgram(): ts.Program {
  const host: ts.ParseConfigFileHost = {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: (diagnostic) => {
      throw new Error(textOf(diagnostic));
    },
  };
  const config = ts.getParsedCommandLineOfConfigFile(`${ROWS}/tsconfig.json`, {}, host);
  if (config === undefined) throw new Error(`${ROWS} has no tsconfig.json.`);
  return ts.createProgram(config.fileNames, config.options);
}

/** Returns the key of the mistake that contains an error. */
function keyAt(diagnostic: ts.Diagnostic): string {
  const { file, start = 0 } = diagnostic;
  const area = file?.statements.flatMap((statement) => areaOf(statement))[0];
  const statement = file?.statements.find(({ pos, end }) => pos <= start && start < end);
  const title = statement && titleOf(statement);
  if (area === undefined || title === undefined) {
    const position = file?.getLineAndCharacterOfPosition(start).line ?? 0;
    throw new Error(
      `${file?.fileName}:${position + 1} has an error outside of a mistake: ${textOf(diagnostic)}`,
    );
  }
  return keyOf({ area, title });
}

/** The name in `const mistake = area('name')`. */
function areaOf(statement: ts.Statement): string[] {
  if (!ts.isVariableStatement(statement)) return [];
  return statement.declarationList.declarations.flatMap(({ initializer }) => {
    const name = initializer && firstArgumentOf(initializer, 'area');
    return name === undefined ? [] : [name];
  });
}

/** The title in `mistake('title', …)`. */
function titleOf(statement: ts.Statement): string | undefined {
  return ts.isExpressionStatement(statement)
    ? firstArgumentOf(statement.expression, 'mistake')
    : undefined;
}

/** The text that a call passes first. */
function firstArgumentOf(expression: ts.Expression, callee: string): string | undefined {
  if (!ts.isCallExpression(expression)) return undefined;
  if (!ts.isIdentifier(expression.expression) || expression.expression.text !== callee) {
    return undefined;
  }
  const [argument] = expression.arguments;
  return argument && ts.isStringLiteralLike(argument) ? argument.text : undefined;
}

/** The compiler's code, and its most specific explanation. */
function textOf({ code, messageText }: ts.Diagnostic): string {
  let explanation = messageText;
  while (typeof explanation !== 'string') {
    explanation = explanation.next?.at(-1) ?? explanation.messageText;
  }
  return `TS${code}: ${explanation}`;
}
