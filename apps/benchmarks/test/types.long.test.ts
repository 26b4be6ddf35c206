import { expect, it } from 'vitest';
import { COMPILERS, measureTypes } from '../src/types/command.js';
import { CLIENTS, generateProject } from '../src/types/projects.js';

const native = COMPILERS.find(({ name }) => name === 'typescript-7') ?? expect.unreachable();

it('each client compiles, completes a route, and needs fewer instantiations than the one before', async () => {
  const instantiations: number[] = [];
  for (const kind of CLIENTS) {
    const project = generateProject(kind, 4);
    const measured = await measureTypes(process.execPath, native, kind, project);
    expect(Object.values(measured).flat().every(Number.isFinite)).toBe(true);
    instantiations.push(measured.instantiations);
  }
  expect(instantiations).toEqual(instantiations.toSorted((one, other) => other - one));
});

it('names the compiler and the errors of a project that does not compile', async () => {
  const [, , kind = expect.unreachable()] = CLIENTS;
  const wrong = { ...kind, client: 'const client = 1;' };
  await expect(
    measureTypes(process.execPath, native, wrong, generateProject(wrong, 1)),
  ).rejects.toThrow(/^TypeScript 7\.0 rejects .*client\.ts:\n.*client\.ts\(2,/);
});
