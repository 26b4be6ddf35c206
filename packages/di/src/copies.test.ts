import { beforeEach, describe, expect, it, vi } from 'vitest';
import { classNeeding } from '../test/classes.js';
import * as own from './index.js';

/** Evaluates the package again, as a second installed version would. */
async function loadCopy(): Promise<typeof own> {
  vi.resetModules();
  return import('./index.js');
}

let other: typeof own;
beforeEach(async () => {
  other = await loadCopy();
});

const copies = 'from another copy of @fairlead/di';
const files = 'The copies are src/copies.ts and src/copies.ts.';
const fix = 'Fix: install one version of @fairlead/di.';

describe('two copies of the package', () => {
  it('read the metadata of each other', () => {
    @other.Service({ scope: 'transient' })
    class Clock {}
    const container = own.createContainer();

    expect(container.resolve(Clock)).not.toBe(container.resolve(Clock));
  });

  it.each<[string, () => unknown]>([
    ['a registered token', () => own.createContainer().register(other.token('x'), { useValue: 1 })],
    [
      'a dependency of a factory',
      () =>
        own.createContainer().register('x', { useFactory: () => 1, inject: [other.token('x')] }),
    ],
    ['the argument of @Inject', () => own.Inject(other.token('x'))(class {}, undefined, 0)],
    ['an optional token', () => own.optional(other.token('x'))],
    ['a parent container', () => new own.Container(other.createContainer() as never)],
  ])('name each other when one uses %s of the other', (_name, use) => {
    expect(use).toThrow(copies);
    expect(use).toThrow(files);
    expect(use).toThrow(fix);
  });

  it.each<[string, () => own.Dependency]>([
    ['a token', () => other.token('x')],
    ['a lazy dependency', () => other.lazy(() => 'x')],
  ])('name each other when a class depends on %s of the other', (_name, dependency) => {
    const [problem] = own.createContainer().validate([classNeeding('Users', dependency())]);

    expect(problem).toBeInstanceOf(own.MixedCopiesError);
    expect(problem?.message).toContain(
      `Cannot inject parameter 0 of Users: its token is ${copies}`,
    );
    expect(problem?.message).toContain(files);
    expect(problem?.message).toContain(fix);
  });

  it('name each other when only the default container of the other provides a token', () => {
    const mailer = Symbol('mailer');
    other.container.register(mailer, { useValue: 1 });

    expect(() => own.container.resolve(mailer)).toThrow(
      `Nothing provides Symbol(mailer): it is registered in the container of another copy of @fairlead/di. ${files}`,
    );
  });
});
