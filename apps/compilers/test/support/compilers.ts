/** How a project is compiled and run: with the files of one folder, and with these commands. */
export interface Compiler {
  /** A column of the table, together with the version of `dependency`. */
  readonly name: string;
  /** The dependency of this workspace package that is the compiler. */
  readonly dependency: string;
  /** The folder in `configs` whose files the project gets. */
  readonly config: string;
  /** What makes `dist` of `src`; nothing where the sources themselves are run. */
  readonly compile: readonly string[];
  /** What runs the fixtures, which write `observations.json`. */
  readonly run: readonly string[];
  /** True when it emits the types of constructor parameters. */
  readonly emitsMetadata: boolean;
}

const compiled = { run: ['node dist/main.js'], emitsMetadata: true } as const;
const tsc = { ...compiled, name: 'tsc', config: 'tsc', compile: ['tsc'] } as const;

export const compilers: readonly Compiler[] = [
  { ...tsc, dependency: 'typescript' },
  { ...tsc, dependency: 'typescript-6' },
  { ...tsc, dependency: 'typescript-7' },
  { ...compiled, name: 'swc', dependency: '@swc/core', config: 'swc', compile: ['node build.js'] },
  { ...compiled, name: 'tsup', dependency: 'tsup', config: 'tsup', compile: ['tsup'] },
  {
    name: 'vitest',
    dependency: 'vitest',
    config: 'vitest',
    compile: [],
    run: ['vitest run'],
    emitsMetadata: true,
  },
  {
    name: 'oxc-node',
    dependency: '@oxc-node/core',
    config: 'oxc-node',
    compile: [],
    run: ['node --import @oxc-node/core/register src/main.ts'],
    emitsMetadata: true,
  },
  {
    name: 'esbuild',
    dependency: 'esbuild',
    config: 'esbuild',
    compile: ["esbuild 'src/**/*.ts' --outdir=dist --format=esm --target=node22"],
    run: ['node dist/main.js'],
    emitsMetadata: false,
  },
];
