import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocks } from './documents.js';
import { createProject, runTsc } from './project.js';

/** The output of a block. */
export interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

/** How to compile and run the code of the documents. */
export interface BlockOptions {
  /** The dependency of this workspace package that compiles the code. */
  readonly compiler: string;
  /** Compiler options in addition to those of the fixtures. */
  readonly compilerOptions?: Readonly<Record<string, unknown>>;
  /** Adds the packages and libraries that the code imports to an empty project. */
  provide(project: string): Promise<void>;
  /**
   * Runs a block until it finishes.
   *
   * @param project - Folder of the project.
   * @param file - Path of the block in the project, without its extension.
   */
  run(project: string, file: string): Promise<Output>;
}

/** Defines tests that compile the code of the documents in one project and run it. */
export function testBlocks({ compiler, compilerOptions, provide, run }: BlockOptions): void {
  let project: string;

  beforeAll(async () => {
    project = await mkdtemp(join(tmpdir(), 'fairlead-readme-'));
    await createProject(project);
    await provide(project);
    for (const { file, code } of blocks) {
      await mkdir(dirname(join(project, file)), { recursive: true });
      await writeFile(join(project, `${file}.ts`), code);
    }
    const tsconfig = join(project, 'tsconfig.json');
    const fixture = JSON.parse(await readFile(tsconfig, 'utf8'));
    const config = {
      compilerOptions: {
        ...fixture.compilerOptions,
        rewriteRelativeImportExtensions: true,
        ...compilerOptions,
      },
      files: blocks.map(({ file }) => `${file}.ts`),
    };
    await writeFile(tsconfig, JSON.stringify(config));
  });

  afterAll(() => rm(project, { recursive: true, force: true }));

  describe('the code in the documents', () => {
    it('exists', () => {
      expect(blocks.length).toBeGreaterThan(0);
    });

    it('compiles', async () => {
      // tsc prints its errors to stdout and fails.
      const { stdout } = await runTsc(compiler, [], project).catch((failure) => failure);
      // The declarations of some libraries have errors. An error begins a line, and its details are indented.
      const errors: string[] = stdout.match(/^\S.*\n(?: .*\n)*/gm) ?? [];
      expect(errors.filter((error) => !/^node_modules\/(?!@fairlead\/)/.test(error))).toEqual([]);
    });

    // A comment after console.log() on the same line is the expected output.
    const running = blocks.filter(({ runs }) => runs);
    it.each(running)('runs and prints its comments: $location', async ({ file, code }) => {
      const { stdout, stderr } = await run(project, file);
      const expected = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(
        ([, text]) => text,
      );
      expect(stdout.split('\n').filter((line) => expected.includes(line))).toEqual(expected);
      expect(stderr).toBe('');
    });
  });
}
