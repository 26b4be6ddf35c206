import { errorsOf } from '@fairlead/test-support/errors-page';
import { expect, it } from 'vitest';
import * as di from '../src/index.js';

class Some {}
const path = [Some];

const errors: readonly di.InjectionError[] = [
  new di.UnknownTokenError(path, Some),
  new di.MissingMetadataError(path, Some, 0),
  new di.ErasedTypeError(path, Some, 0, Object),
  new di.UndefinedTypeError(path, Some, 0),
  new di.MixedCopiesError(path, Some, 0, 'two files'),
  new di.CyclicDependencyError(path, Some),
  new di.CapturedScopeError(path, Some),
  new di.OutOfScopeError(path, Some),
  new di.AsyncProviderError(path),
  new di.ConstructionError(path, new Error()),
  new di.InitializationError([new di.DisposedError(Some), new di.DisposedError(Some)]),
  new di.InvalidDecoratorError('@Service()', 'Some', [], Some),
  new di.InvalidArgumentError([]),
  new di.InvalidProviderError(Some, [{ problem: 'useClass is not a class.' }]),
  new di.DisposedError(Some),
  new di.AsyncDisposalError(Some),
];

it('lists every error with its code in docs/errors.md, in this order', () => {
  const listed = [...errorsOf('di').matchAll(/^\| `(\w+Error)`\s*\| `([A-Z_]+)`\s*\|/gm)].map(
    (row) => row.slice(1),
  );

  expect(listed).toEqual(errors.map((error) => [error.name, error.code]));
});

it('lists every exported error', () => {
  const exported = Object.keys(di).filter((name) => name.endsWith('Error'));

  expect([...errors.map((error) => error.name), 'InjectionError'].sort()).toEqual(exported.sort());
});

it('gives every error a unique code, with DI_ unless @fairlead/controllers shares it', () => {
  expect(new Set(errors.map((error) => error.code)).size).toBe(errors.length);
  expect(
    errors
      .map((error) => error.code)
      .filter((code) => !/^(DI_[A-Z_]+|INVALID_DECORATOR|INVALID_OPTION)$/.test(code)),
  ).toEqual([]);
});
