import { compileFunction } from 'node:vm';
import { transformSync } from '@swc/core';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import * as di from '../src/index.js';

const source = `
import { Inject, Optional, Service } from '@fairlead/di';
import type { Hidden } from './hidden';

@Service() export class Dep {}
@Service() export class Typed { constructor(readonly dep: Dep) {} }
@Service() export class Derived extends Typed {}
@Service() export class Hides { constructor(readonly hidden: Hidden) {} }
@Service() export class Infers { constructor(readonly name = 'a') {} }
@Service() export class Unites { constructor(readonly dep: Dep | string) {} }
@Service() export class Marked { constructor(@Inject(Dep) readonly dep: unknown) {} }
@Service() export class Spared { constructor(@Optional() readonly name: string = 'a') {} }
@Service() export class Hopes { constructor(@Optional() readonly dep: Dep | undefined) {} }
export class Listed { static inject = [Dep] as const; constructor(readonly dep: Dep) {} }
`;

type Classes = Record<string, di.Constructor<{ dep: unknown; name: unknown }>>;

function evaluate(code: string): Classes {
  const exports: Classes = {};
  compileFunction(code, ['exports', 'require'])(exports, () => di);
  return exports;
}

function byTypeScript(emitDecoratorMetadata: boolean): Classes {
  const compilerOptions = {
    module: ts.ModuleKind.CommonJS,
    target: ts.ScriptTarget.ES2022,
    strict: true,
    experimentalDecorators: true,
    emitDecoratorMetadata,
  };
  return evaluate(ts.transpileModule(source, { compilerOptions }).outputText);
}

function bySwc(): Classes {
  const parser = { syntax: 'typescript', decorators: true } as const;
  const transform = { legacyDecorator: true, decoratorMetadata: true };
  const jsc = { parser, transform, target: 'es2022' } as const;
  return evaluate(transformSync(source, { jsc, module: { type: 'commonjs' } }).code);
}

/** Returns the code of each class's first problem, or `resolved`. */
function outcomes(classes: Classes): Record<string, string> {
  const container = di.createContainer();
  return Object.fromEntries(
    Object.entries(classes).map(([name, target]) => [
      name,
      container.validate([target])[0]?.code ?? 'resolved',
    ]),
  );
}

const withMetadata = {
  Dep: 'resolved',
  Typed: 'resolved',
  Derived: 'resolved',
  Hides: 'DI_ERASED_TYPE',
  Infers: 'DI_ERASED_TYPE',
  Unites: 'DI_ERASED_TYPE',
  Marked: 'resolved',
  Spared: 'resolved',
  Hopes: 'DI_ERASED_TYPE',
  Listed: 'resolved',
};

describe('classes compiled', () => {
  it('by tsc are injected from their metadata', () => {
    expect(outcomes(byTypeScript(true))).toEqual(withMetadata);
  });

  it('by swc are injected from their metadata, which lacks inferred types', () => {
    expect(outcomes(bySwc())).toEqual({ ...withMetadata, Infers: 'DI_UNDEFINED_TYPE' });
  });

  it('without metadata need @Inject on every parameter, or static inject', () => {
    expect(outcomes(byTypeScript(false))).toEqual({
      Dep: 'resolved',
      Typed: 'DI_MISSING_METADATA',
      Derived: 'DI_MISSING_METADATA',
      Hides: 'DI_MISSING_METADATA',
      Infers: 'resolved',
      Unites: 'DI_MISSING_METADATA',
      Marked: 'resolved',
      Spared: 'DI_MISSING_METADATA',
      Hopes: 'DI_MISSING_METADATA',
      Listed: 'resolved',
    });
  });
});
