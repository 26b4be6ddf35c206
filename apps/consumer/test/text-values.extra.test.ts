import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDocument } from '@fairlead/openapi';
import { cases as casesOf } from '@fairlead/test-support/properties';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { here, run, runTsc } from './support/project.js';
import { CHANNELS, createEcho } from './support/text-channels.js';
import { LIBRARIES, sampleCases } from './support/text-values.js';

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
const cases = sampleCases(casesOf(50), 5, seed);
const libraries = Object.keys(LIBRARIES) as (keyof typeof LIBRARIES)[];

describe.each(libraries)('values of %s', (library) => {
  it.each(Object.entries(CHANNELS))(
    `arrive equal by way of %s, with the seed ${seed}`,
    async (name, open) => {
      const send = await open(createEcho(library, cases, name === 'tool'));
      for (const [index, { spec, values }] of cases.entries()) {
        for (const value of values) {
          const received = await send(index, value);
          expect({ spec, value, received }).toEqual({ spec, value, received: value });
        }
      }
    },
    600_000,
  );

  describe('in a generated client', () => {
    let folder: string;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'fairlead-values-'));
      await symlink(join(here, 'node_modules'), join(folder, 'node_modules'));
      await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
      const document = createDocument(createEcho(library, cases), {
        info: { title: 'Echo', version: '1' },
      });
      await writeFile(join(folder, 'openapi.json'), JSON.stringify(document));
      const program = join(here, 'node_modules/fairlead/dist/main.js');
      await run(process.execPath, [program, 'client', 'openapi.json', '--out', 'api.ts'], folder);
    });

    afterAll(() => rm(folder, { recursive: true }));

    it('have the types of the calls', async () => {
      const calls = cases.flatMap(({ values }, index) =>
        values.map((value) => `client.get('/${index}', { query: ${JSON.stringify(value)} }),`),
      );
      const imports =
        "import { createClient } from '@fairlead/client';\nimport type { Api } from './api.ts';\n";
      const source = `${imports}const client = createClient<Api>('http://localhost');\nexport const all = [\n${calls.join('\n')}\n];\n`;
      await writeFile(join(folder, 'use.ts'), source);
      const compilerOptions = {
        ...{ strict: true, allowImportingTsExtensions: true, noEmit: true, skipLibCheck: true },
        ...{ target: 'ES2022', module: 'NodeNext', lib: ['ES2023', 'DOM'], types: ['node'] },
      };
      const config = JSON.stringify({ compilerOptions, files: ['use.ts'] });
      await writeFile(join(folder, 'tsconfig.json'), config);
      const { stdout } = await runTsc('typescript-7', [], folder).catch((error) => error);
      expect(stdout).toBe('');
    }, 300_000);
  });
});
