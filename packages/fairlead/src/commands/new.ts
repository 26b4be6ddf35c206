import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { nearestName } from '@fairlead/options';
import type { Command } from 'commander';
import { UsageError } from '../errors.js';
import { print } from '../output.js';
import {
  DECORATOR,
  fairleadPackages,
  type Manifest,
  readManifest,
  readSources,
  runsTypeScript,
  type SourceFile,
  sourceFolder,
} from '../project.js';
import { readTsconfig, type Tsconfig } from '../tsconfig.js';

/** What can be created, with the folder of the first one. */
const KINDS = {
  controller: 'controllers',
  middleware: 'middleware',
  guard: 'guards',
  plugin: 'plugins',
} as const;

type Kind = keyof typeof KINDS;

/** How the project writes its code. */
interface Style {
  readonly isTyped: boolean;
  readonly isDecorated: boolean;
}

/** The names of what is created. */
interface Names {
  /** Such as `user-profiles`. */
  readonly kebab: string;
  /** Such as `userProfiles`. */
  readonly camel: string;
  /** Such as `UserProfiles`. */
  readonly pascal: string;
}

export function addNew(program: Command): void {
  program
    .command('new')
    .summary('create a controller, middleware, a guard or a plugin')
    .description(
      'Creates a controller, middleware, a guard or a plugin in the style of the project: a class or a value, beside those that exist, or in a new folder such as src/controllers.',
    )
    .argument('<kind>', Object.keys(KINDS).join(', '), parseKind)
    .argument('<name>', 'such as users', parseName)
    .addHelpText('after', '\nExample: fairlead new controller users')
    .action((kind: Kind, kebab: string) => {
      const { manifest } = readManifest();
      const needed =
        kind === 'controller' || kind === 'guard' ? '@fairlead/controllers' : '@fairlead/core';
      if (!fairleadPackages(manifest).includes(needed)) {
        throw new UsageError(`A ${kind} needs ${needed}. Run npm install ${needed}.`);
      }
      const tsconfig = readTsconfig();
      const sources = readSources();
      const style = styleOf(sources);
      const names = namesOf(kebab.replace(new RegExp(`-${kind}$`), ''));
      const file = place(kind, names, style, sources);
      if (existsSync(file)) throw new UsageError(`${file} exists. Use another name.`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, TEXTS[kind](names, style));
      print(`Created ${file}.`);
      print(nextStep(kind, names, style, importOf(file, sources, manifest, tsconfig)));
      const declares = sources.find(({ text }) => /\baccess: ['"]declared['"]/.test(text));
      if ((kind === 'controller' || kind === 'plugin') && declares !== undefined)
        print(accessStep(declares));
    });
}

function parseKind(text: string): Kind {
  if (Object.hasOwn(KINDS, text)) return text as Kind;
  const nearest = nearestName(text, Object.keys(KINDS));
  const fix =
    nearest === undefined
      ? `Use one of: ${Object.keys(KINDS).join(', ')}.`
      : `Did you mean ${nearest}?`;
  throw new UsageError(`Cannot create '${text}'. ${fix}`);
}

/** Returns a name in kebab case. */
function parseName(text: string): string {
  const kebab = text
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/[ _.]+/g, '-')
    .toLowerCase();
  if (/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(kebab)) return kebab;
  throw new UsageError(
    `Cannot use the name '${text}'. Use words joined by hyphens, such as user-profiles.`,
  );
}

function namesOf(kebab: string): Names {
  const pascal = kebab.replace(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());
  return { kebab, pascal, camel: pascal.charAt(0).toLowerCase() + pascal.slice(1) };
}

/** Decorators need TypeScript. A project without controllers has the style that its compiler options allow. */
function styleOf(sources: readonly SourceFile[]): Style {
  const isTyped = existsSync('tsconfig.json') || sources.some(({ path }) => path.endsWith('ts'));
  const values = sources.filter(({ text }) => text.includes('defineController(')).length;
  const classes = sources.filter(({ text }) => text.includes('@Controller(')).length;
  const isDecorated =
    values + classes > 0 ? classes >= values : sources.some(({ text }) => DECORATOR.test(text));
  return { isTyped, isDecorated: isTyped && isDecorated };
}

/** Returns the path of the new file: beside those of its kind, and named like the controllers. */
function place(
  kind: Kind,
  { kebab }: Names,
  { isTyped }: Style,
  sources: readonly SourceFile[],
): string {
  const pattern = {
    controller: /@Controller\(|defineController\(/,
    middleware: /implements ClassMiddleware|\): Middleware\b/,
    guard: /implements CanActivate|: GuardFn\b/,
    plugin: /\): Plugin\b/,
  }[kind];
  const controllers = sources.filter(({ text }) => /@Controller\(|defineController\(/.test(text));
  const suffixes = controllers.map(({ path }) => /([-.])controller\.\w+$/.exec(path)?.[1] ?? '');
  const separator = suffixes[0] ?? '-';
  const suffix = separator === '' ? '' : `${separator}${kind}`;
  const folders = sources.filter(({ text }) => pattern.test(text)).map(({ path }) => dirname(path));
  const own =
    folders.find((folder) => basename(folder) === KINDS[kind]) ?? join(sourceFolder(), KINDS[kind]);
  const folder = kind === 'controller' ? (folders[0] ?? own) : own;
  return join(folder, `${kebab}${suffix}.${isTyped ? 'ts' : 'js'}`);
}

/** Returns how a module in the source folder imports a file. */
function importOf(
  file: string,
  sources: readonly SourceFile[],
  manifest: Manifest,
  tsconfig: Tsconfig,
): string {
  const path = relative(sourceFolder(), file).replaceAll(sep, '/');
  if (!file.endsWith('ts')) return `./${path}`;
  const imported = sources.flatMap(({ text }) => [
    ...text.matchAll(/from ['"]\.{1,2}\/[^'"\n]+\.([jt]s)['"]/g),
  ]);
  const [, extension = importsSources(manifest, tsconfig) ? 'ts' : 'js'] = imported[0] ?? [];
  return `./${path.replace(/ts$/, extension)}`;
}

/** Whether imports name the files as they are: the compiler accepts it, or Node.js runs them. */
function importsSources({ scripts = {} }: Manifest, { options }: Tsconfig): boolean {
  const { allowImportingTsExtensions, rewriteRelativeImportExtensions } = options;
  return (
    allowImportingTsExtensions === true ||
    rewriteRelativeImportExtensions === true ||
    Object.values(scripts).some(runsTypeScript)
  );
}

const TEXTS: Readonly<Record<Kind, (names: Names, style: Style) => string>> = {
  controller: ({ kebab, camel, pascal }, { isDecorated }) =>
    isDecorated
      ? `import { Controller, Get, Param } from '@fairlead/controllers';

@Controller('/${kebab}')
export class ${pascal}Controller {
  @Get('/')
  list() {
    return [];
  }

  @Get('/:id')
  find(@Param('id') id: string) {
    return { id };
  }
}
`
      : `import { defineController } from '@fairlead/controllers';

export const ${camel} = defineController('/${kebab}', {
  routes: ({ get }) => ({
    list: get('/', () => []),
    find: get('/:id', ({ params }) => ({ id: params.id })),
  }),
});
`,
  middleware: ({ camel, pascal }, { isTyped, isDecorated }) =>
    isDecorated
      ? `import type { ClassMiddleware } from '@fairlead/controllers';
import type { Context, Next } from '@fairlead/core';
import { Service } from '@fairlead/di';

/** Runs before the routes that have it, and may await \`next()\` to run after them. */
@Service()
export class ${pascal} implements ClassMiddleware {
  use(_ctx: Context, next: Next) {
    return next();
  }
}
`
      : `${isTyped ? "import type { Middleware } from '@fairlead/core';\n\n" : ''}/** Runs before what is registered after it, and may await \`next()\` to run after it. */
export function ${camel}()${isTyped ? ': Middleware' : ''} {
  return (_ctx, next) => next();
}
`,
  guard: ({ camel, pascal }, { isTyped, isDecorated }) =>
    isDecorated
      ? `import type { CanActivate, GuardContext } from '@fairlead/controllers';
import { Service } from '@fairlead/di';

/** Allows requests with credentials. */
@Service()
export class ${pascal} implements CanActivate {
  canActivate(ctx: GuardContext) {
    return ctx.get('Authorization') !== undefined;
  }
}
`
      : `${isTyped ? "import type { GuardFn } from '@fairlead/controllers';\n\n" : ''}/** Allows requests with credentials. */
export const ${camel}${isTyped ? ': GuardFn' : ''} = (ctx) => ctx.get('Authorization') !== undefined;
`,
  plugin: (
    { kebab, camel },
    { isTyped },
  ) => `${isTyped ? "import type { Plugin } from '@fairlead/core';\n\n" : ''}/** Adds a route to the application that installs it. */
export function ${camel}()${isTyped ? ': Plugin' : ''} {
  return {
    name: '${kebab}',
    install(app) {
      app.get('/${kebab}', () => ({ status: 'ok' }));
    },
  };
}
`,
};

/** Explains what the start demands of new routes. */
function accessStep({ path }: SourceFile): string {
  return `Say who may call its routes, because ${path} has access: 'declared': add a guard, or if everyone may, public: 'a reason'.`;
}

/** Explains how to use what was created. */
function nextStep(
  kind: Kind,
  { camel, pascal }: Names,
  { isDecorated }: Style,
  path: string,
): string {
  const name = isDecorated ? pascal : camel;
  const uses: Readonly<Record<Kind, readonly [name: string, use: string]>> = {
    controller: [
      isDecorated ? `${pascal}Controller` : camel,
      `registerController(router, ${isDecorated ? `${pascal}Controller` : camel}, { container });`,
    ],
    middleware: isDecorated ? [name, `@UseMiddleware(${name})`] : [name, `app.use(${name}());`],
    guard: isDecorated ? [name, `@UseGuard(${name})`] : [name, `guards: [${name}]`],
    plugin: [camel, `await app.plugin(${camel}());`],
  };
  const [imported, use] = uses[kind];
  const when =
    kind === 'controller'
      ? 'Unless root of controllersPlugin() covers the file, register it:'
      : 'To use it:';
  return `${when}\n  import { ${imported} } from '${path}';\n  ${use}`;
}
