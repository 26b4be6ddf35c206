/** A compiler, with the configuration and the commands that compile and run a project. */
export interface Compiler {
  /** The column heading in the table, followed by the version of `dependency`. */
  readonly name: string;
  /** The npm package of the compiler, a dependency of this workspace package. */
  readonly dependency: string;
  /** The folder in `configs` whose files are copied into the project. */
  readonly config: string;
  /** The commands that compile `src` to `dist`. Empty when the sources run directly. */
  readonly compile: readonly string[];
  /** The commands that run the fixtures, which write `observations.json`. */
  readonly run: readonly string[];
  /** Whether the compiler emits the types of constructor parameters. */
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
    name: '@swc/jest',
    dependency: '@swc/jest',
    config: 'swc-jest',
    compile: [],
    run: ['NODE_OPTIONS=--experimental-vm-modules jest'],
    emitsMetadata: true,
  },
  {
    name: 'ts-jest',
    dependency: 'ts-jest',
    config: 'ts-jest',
    compile: [],
    run: ['NODE_OPTIONS=--experimental-vm-modules jest'],
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
