import { expect, it } from 'vitest';
import { indexOptions, searchOptions } from './search.ts';

const { extractField } = indexOptions;
const { boostDocument, fuzzy } = searchOptions;

it.each([
  ['/recipes/shutdown.html#stop', [], 'shutdown'],
  ['/0.1.0/examples/users-api/#users-api', [], 'users-api'],
  ['/packages/serve.html#shut-down', ['@fairlead/serve'], ''],
])('indexes the name of a file with the beginning of its page: %s', (id, titles, name) => {
  expect(extractField({ id, titles }, 'file')).toBe(name);
  expect(extractField({ id, titles }, 'titles')).toBe(titles);
});

it('ranks what explains a task before packages, and packages before members', () => {
  const paths = ['guides/files', 'packages/static', 'all-mistakes', 'api/static'];
  const boosts = ['/', '/0.1.0/'].map((base) =>
    paths.map((path) => boostDocument(`${base}${path}.html#files`, 'files')),
  );
  expect(boosts[0]).toEqual(boosts[0]?.toSorted((a, b) => b - a));
  expect(new Set(boosts[0]).size).toBe(paths.length);
  expect(boosts[1]).toEqual(boosts[0]);
});

it('ranks the beginning of a page before its sections', () => {
  const boost = (titles: readonly string[]) =>
    boostDocument('/guides/files.html#files', 'files', { titles });
  expect(boost([])).toBeGreaterThan(boost(['Files']));
});

it('tolerates a wrong letter in long words only', () => {
  expect(['cors', 'interceptor'].map(fuzzy)).toEqual([false, 0.2]);
});
