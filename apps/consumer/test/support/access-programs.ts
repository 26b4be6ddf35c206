import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { workspace } from './project.js';

/** The sources of an application, by path. */
type Sources = ReadonlyMap<string, string>;

/** An application whose sources have changed in one place. */
export interface Variant {
  readonly app: string;
  readonly change: string;
  readonly sources: Sources;
  /** Whether the start is checked, too. */
  readonly isStarted: boolean;
}

/** What a variant says about access. */
export interface Result extends Variant {
  /** The codes of the problems of its start. */
  readonly problems: readonly string[];
  readonly differences: readonly {
    readonly kind: string;
    readonly route: string;
    readonly message: string;
  }[];
  /** What decides who may call its routes. */
  readonly steps: readonly { readonly route: string; readonly name: string }[];
}

const ENTRY = 'src/offline.ts';
const OFFLINE = "export { createOfflineApp } from './app.js';\n";
const CONDUIT = `import { createLogger } from '@fairlead/pino';
import { createConduit } from './app.ts';
const database = new Proxy({}, { get: () => () => undefined });
export const createOfflineApp = () =>
  createConduit({ database, secret: '-'.repeat(32), logger: createLogger({ level: 'silent' }) });
`;

/** Reads the applications, of which two are created from templates. */
export async function readApplications(root: string): Promise<ReadonlyMap<string, Sources>> {
  const program = join(workspace, 'packages/create-fairlead/dist/main.js');
  const create = async (name: string, ...options: string[]) => {
    const project = join(root, name);
    const flags = ['--package-manager', 'npm', '--no-install', '--no-git'];
    await promisify(execFile)(process.execPath, [
      program,
      project,
      '--template',
      ...options,
      ...flags,
    ]);
    return readSources(project, OFFLINE);
  };
  return new Map([
    ['users-api', await readSources(join(workspace, 'apps/users-api'), OFFLINE)],
    ['realworld', await readSources(join(workspace, 'apps/realworld'), CONDUIT)],
    ['values', await create('values', 'values')],
    ['rest-api', await create('rest-api', 'rest-api', '--auth')],
  ]);
}

async function readSources(folder: string, entry: string): Promise<Sources> {
  const sources = new Map([[ENTRY, entry]]);
  sources.set('package.json', await readFile(join(folder, 'package.json'), 'utf8'));
  for (const one of await readdir(join(folder, 'src'), { recursive: true, withFileTypes: true })) {
    if (!one.isFile() || one.name.endsWith('.test.ts')) continue;
    const path = join(one.parentPath, one.name);
    sources.set(path.slice(folder.length + 1), await readFile(path, 'utf8'));
  }
  return sources;
}

/** Writes the variants, and runs them together in a process. The first of each application is the one that is locked. */
export async function runVariants(variants: readonly Variant[]): Promise<readonly Result[]> {
  const root = await mkdtemp(join(tmpdir(), 'fairlead-access-'));
  try {
    const programs = [];
    for (const [index, { app, sources, isStarted }] of variants.entries()) {
      const folder = join(root, String(index));
      for (const [path, text] of sources) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), text);
      }
      programs.push({ app, folder, entry: ENTRY, isStarted });
    }
    const list = join(root, 'programs.json');
    await writeFile(list, JSON.stringify({ root, programs }));
    const worker = join(workspace, 'apps/consumer/fixtures/access-programs.mjs');
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--max-semi-space-size=128', worker, list],
      {
        env: { ...process.env, NODE_ENV: 'production', NODE_OPTIONS: '' },
        maxBuffer: 64 * 1024 * 1024,
      },
    );
    const results: readonly Omit<Result, keyof Variant>[] = JSON.parse(stdout);
    return variants.map((variant, index) => ({ ...variant, ...(results[index] as Result) }));
  } finally {
    await rm(root, { recursive: true });
  }
}

/** A replacement of a part of a text. */
type Edit = readonly [start: number, end: number, text: string];

interface FileEdit {
  readonly change: string;
  readonly edits: readonly Edit[];
  /** Code to put at the start of the file. */
  readonly head?: string;
}

/** Creates the variants of applications in which a function changes one file. */
function variantsOf(
  applications: ReadonlyMap<string, Sources>,
  editsOf: (file: ts.SourceFile) => readonly FileEdit[],
): readonly Variant[] {
  return [...applications].flatMap(([app, sources]) =>
    [...sources].flatMap(([path, text]) => {
      if (!path.endsWith('.ts')) return [];
      const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
      return editsOf(file).map(({ change, edits, head = '' }): Variant => {
        const edited = [...edits]
          .sort(([one], [other]) => other - one)
          .reduce((rest, [start, end, by]) => rest.slice(0, start) + by + rest.slice(end), text);
        return {
          app,
          change: `${path}: ${change}`,
          sources: new Map([...sources, [path, head + edited]]),
          isStarted: true,
        };
      });
    }),
  );
}

function nodesOf(root: ts.Node): readonly ts.Node[] {
  const children: ts.Node[] = [];
  root.forEachChild((child) => {
    children.push(child);
  });
  return [root, ...children.flatMap(nodesOf)];
}

const remove = (list: readonly ts.Node[], index: number): Edit => {
  const one = list[index] as ts.Node;
  const next = list[index + 1];
  return [one.getStart(), next?.getStart() ?? one.end, ''];
};

const place = (node: ts.Node): string => {
  const { line } = node.getSourceFile().getLineAndCharacterOfPosition(node.getStart());
  return `line ${line + 1}`;
};

/** Takes out guards and middleware that authenticates, one at a time, or makes one of them demand less. */
export function weaken(applications: ReadonlyMap<string, Sources>): readonly Variant[] {
  const variants = variantsOf(applications, (file) =>
    nodesOf(file).flatMap((node): readonly FileEdit[] => {
      const edit = (change: string, ...edits: Edit[]) => [
        { change: `${change} in ${place(node)}`, edits },
      ];
      if (ts.isCallExpression(node)) {
        const name = node.expression.getText();
        if (name === 'secured')
          return edit('undescribed', [
            node.getStart(),
            node.end,
            node.arguments[0]?.getText() ?? '',
          ]);
        return node.arguments.flatMap((one, index) =>
          /^(?:signedIn|maybeSignedIn)$/.test(one.getText())
            ? edit(`${one.getText()} gone`, remove(node.arguments, index))
            : [],
        );
      }
      if (ts.isExpressionStatement(node) && /^describe\(/.test(node.getText()))
        return edit('undescribed', [node.getStart(), node.end, '']);
      if (ts.isDecorator(node) && /^@Roles\(/.test(node.getText())) {
        const [start, end] = [node.getStart(), node.end];
        return [
          ...edit('guard gone', [start, end, '']),
          ...edit('a further role', [end - 1, end - 1, ", 'guest'"]),
          ...edit('public', [start, end, "@Public('Why not?')"]),
          ...edit('another role', [start, end, "@Roles('guest')"]),
        ];
      }
      if (ts.isObjectLiteralExpression(node)) {
        return node.properties.flatMap((one, index) => {
          if (one.name?.getText() !== 'guards') return [];
          return [
            ...edit('guards gone', remove(node.properties, index)),
            ...(isPlugin(node)
              ? []
              : edit('public', [one.getStart(), one.end, "public: 'Why not?'"])),
          ];
        });
      }
      if (ts.isVariableDeclaration(node) && node.name.getText() === 'guards' && node.initializer)
        return edit('no guards', [node.initializer.getStart(), node.initializer.end, '[]']);
      return [];
    }),
  );
  // The lock has to notice it without the help of the start.
  return variants.map((one) => ({ ...one, isStarted: false }));
}

function isPlugin({ parent }: ts.Node): boolean {
  return ts.isCallExpression(parent) && parent.expression.getText() === 'controllersPlugin';
}

const PASS = '((_ctx: any, next: any) => next())';

/** Changes applications in ways that keep access: moves routes, adds middleware that lets all pass, renames files. */
export function move(applications: ReadonlyMap<string, Sources>): readonly Variant[] {
  return [
    ...variantsOf(applications, (file) => nodesOf(file).flatMap(movesOf)),
    ...renames(applications),
  ];
}

function movesOf(node: ts.Node): readonly FileEdit[] {
  if (ts.isClassDeclaration(node) && /@Controller\(/.test(node.getText())) {
    const methods = node.members.filter(ts.isMethodDeclaration);
    const head = "import { UseMiddleware as Extra } from '@fairlead/controllers';\n";
    return [
      ...swaps(methods),
      ...methods.map((one): FileEdit => {
        const start = one.getStart();
        return {
          change: `middleware of ${one.name.getText()}`,
          edits: [[start, start, `@Extra(${PASS}) `]],
          head,
        };
      }),
    ];
  }
  if (ts.isPropertyAssignment(node) && node.name.getText() === 'routes') {
    const [routes] = nodesOf(node).filter(ts.isObjectLiteralExpression);
    return routes === undefined ? [] : swaps(routes.properties);
  }
  if (ts.isCallExpression(node) && node.expression.getText() === 'createRouter') {
    const calls: ts.CallExpression[] = [];
    for (let link = node.parent; ts.isPropertyAccessExpression(link); link = link.parent.parent)
      calls.push(link.parent as ts.CallExpression);
    // From the dot to the closing parenthesis.
    const links = calls.map((call) => {
      const start = (call.expression as ts.PropertyAccessExpression).expression.end;
      return { start, end: call.end, call };
    });
    const text = node.getSourceFile().text;
    return [
      ...links.slice(1).map((link, index): FileEdit => {
        const before = links[index] as typeof link;
        return {
          change: `swap before ${place(link.call.arguments[0] ?? link.call)}`,
          edits: [
            [before.start, before.end, text.slice(link.start, link.end)],
            [link.start, link.end, text.slice(before.start, before.end)],
          ],
        };
      }),
      ...links.flatMap(({ call }): readonly FileEdit[] => {
        const last = call.arguments.at(-1)?.getStart();
        if (last === undefined) return [];
        return [
          {
            change: `middleware in ${place(call.arguments[0] ?? call)}`,
            edits: [[last, last, `${PASS}, `]],
          },
        ];
      }),
    ];
  }
  if (ts.isAwaitExpression(node) && /^await app\.plugin/.test(node.getText())) {
    const start = node.getStart();
    return [
      { change: `middleware before ${place(node)}`, edits: [[start, start, `app.use(${PASS}); `]] },
    ];
  }
  return [];
}

function swaps(nodes: readonly ts.Node[]): readonly FileEdit[] {
  return nodes.slice(1).map((node, index) => {
    const before = nodes[index] as ts.Node;
    return {
      change: `swap before ${place(node)}`,
      edits: [
        [before.getStart(), before.end, node.getText()],
        [node.getStart(), node.end, before.getText()],
      ],
    };
  });
}

function renames(applications: ReadonlyMap<string, Sources>): readonly Variant[] {
  return [...applications].flatMap(([app, sources]) =>
    [...sources.keys()].flatMap((path): readonly Variant[] => {
      if (extname(path) !== '.ts' || path === ENTRY) return [];
      const name = basename(path, '.ts');
      const renamed = new Map(
        [...sources].map(([one, text]) => {
          const imports = text.replaceAll(
            new RegExp(`(from '\\.[^']*/)${name}(\\.[jt]s')`, 'g'),
            `$1renamed-${name}$2`,
          );
          return [one === path ? join(dirname(path), `renamed-${name}.ts`) : one, imports];
        }),
      );
      return [{ app, change: `rename ${path}`, sources: renamed, isStarted: true }];
    }),
  );
}
