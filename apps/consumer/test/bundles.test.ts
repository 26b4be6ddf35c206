import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { packages } from './support/packages.js';
import { workspace } from './support/project.js';

/** What only the source does: the build replaces the module. */
const REPLACED = 'packages/store/src/writer-script.ts';

/**
 * Returns the code of a module that bundlers replace, or that fails where they leave `import.meta` empty. Comments,
 * texts and `process.getBuiltinModule()` are none of it.
 */
function findUnbundled(file: string, text: string): string[] {
  if (!/import\.meta|createRequire/.test(text)) return [];
  const found: string[] = [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    if (isUnbundled(node)) found.push(node.getText());
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isUnbundled(node: ts.Node): boolean {
  if (ts.isImportSpecifier(node)) return (node.propertyName ?? node.name).text === 'createRequire';
  if (ts.isNewExpression(node)) {
    return node.expression.getText() === 'URL' && (node.arguments ?? []).some(isImportMeta);
  }
  if (!ts.isCallExpression(node)) return false;
  // Such as fileURLToPath(import.meta.url), dirname(import.meta.filename) or import.meta.resolve('x').
  return isImportMeta(node.expression) || node.arguments.some(isImportMeta);
}

/** Whether an expression is a member of `import.meta` whose type still claims that it exists. */
function isImportMeta(node: ts.Node): boolean {
  return ts.isPropertyAccessExpression(node) && ts.isMetaProperty(node.expression);
}

const files = [...packages, 'options', 'schemas'].flatMap((name) =>
  globSync(`packages/${name}/src/**/*.ts`, { cwd: workspace }).filter(
    (file) => !/\.test(?:-d)?\.ts$/.test(file) && file !== REPLACED,
  ),
);

describe('the sources of packages that bundles contain', () => {
  it('have nothing that bundlers replace or leave without a value', () => {
    const found = files.flatMap((file) =>
      findUnbundled(file, readFileSync(join(workspace, file), 'utf8')).map(
        (code) => `${file}: ${code}`,
      ),
    );
    expect(files.length).toBeGreaterThan(200);
    expect(found).toEqual([]);
  });

  it.each([
    "const page = new URL('./page.html', import.meta.url);",
    "import { createRequire } from 'node:module';",
    "import { createRequire as load } from 'node:module';",
    "import.meta.resolve('pino');",
    'fileURLToPath(import.meta.url);',
    'class Files { static folder = join(import.meta.dirname, ".."); }',
  ])('would be found by this test: %s', (code) => {
    expect(findUnbundled('a.ts', code)).toHaveLength(1);
  });

  it.each([
    'const url = import.meta.url as string | undefined;',
    "// new URL('./page.html', import.meta.url)",
    "const { createRequire } = process.getBuiltinModule('node:module');",
    `const fix = "pass new URL('./controllers/', import.meta.url)";`,
  ])('would not be found by this test: %s', (code) => {
    expect(findUnbundled('a.ts', code)).toEqual([]);
  });
});
