import { runInThisContext } from 'node:vm';
import { transformSync } from '@swc/core';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { hasEmptyConstructor } from './class-source.js';
import { createContainer } from './container.js';
import { Inject } from './decorators/inject.js';
import { Service } from './decorators/service.js';
import { token } from './dependency.js';
import type { Class } from './token.js';

const URL = token<string>('Url');

@Service()
class Mailer {
  constructor(@Inject(URL) readonly url: string) {}
}

class Users {
  static readonly inject = [Mailer] as const;
  constructor(readonly mailer: unknown) {}
}

describe('a subclass with a constructor that takes nothing', () => {
  class FakeMailer extends Mailer {
    constructor() {
      super('fake:');
    }
  }
  class FakeUsers extends Users {
    constructor() {
      super('mailer');
    }
  }

  it('has no dependencies', () => {
    const container = createContainer()
      .override(Mailer, { useClass: FakeMailer })
      .override(Users, { useClass: FakeUsers });

    expect(container.validate([Mailer, Users])).toEqual([]);
    expect(container.resolve(Mailer).url).toBe('fake:');
    expect(container.resolve(Users).mailer).toBe('mailer');
  });

  it('has none through another subclass', () => {
    class Quiet extends FakeMailer {}

    const container = createContainer().register(Quiet);
    expect(container.resolve(Quiet).url).toBe('fake:');
  });

  it('has those of its base if it passes on what it receives', () => {
    class Passing extends Mailer {
      constructor(...rest: [url: string]) {
        super(...rest);
      }
    }

    const container = createContainer().register(URL, { useValue: 'a' }).register(Passing);
    expect(container.resolve(Passing).url).toBe('a');
  });
});

/** Evaluates the source of a class, whose base has to exist. */
function evaluate(source: string): Class {
  return runInThisContext(`{ class Base {}; (${source}); }`);
}

describe('hasEmptyConstructor', () => {
  it.each([
    'class extends Base { constructor() { super(); } }',
    'class extends Base{a=1;constructor(){super("x")}}',
    'class extends Base { static of() { return new this(); } constructor ( ) { super(); } }',
    'class extends Base {\n  name = "constructor"\n  constructor() { super() }\n}',
    'class extends Base { /* a { */ text = "}"; list = `}`; // "\n constructor() { super(); } }',
    'class extends Base { make = { constructor(a) {} }; constructor() { super(60 / 2); } }',
    'class extends (() => Base)() { constructor() { super(); } }',
  ])('is true for %j', (source) => {
    expect(hasEmptyConstructor(evaluate(source))).toBe(true);
  });

  it.each([
    'class extends Base {}',
    'class extends Base { constructor(...all) { super(...all); } }',
    'class extends Base { constructor(a = 1) { super(a); } }',
    'class extends Base { constructor() { super(...arguments); } }',
    'class extends Base { /* constructor() {} */ }',
    'class extends Base { // constructor() {}\n}',
    'class extends Base { text = "constructor() {}"; }',
    "class extends Base { text = ' \\' constructor() {}'; }",
    'class extends Base { text = `constructor() {}`; }',
    `class extends Base { text = \`\${'\`'} constructor() {}\`; }`,
    'class extends Base { expression = /["{]/; text = "} constructor() {}"; }',
    'class extends Base { make = { constructor() {} }; }',
    'class extends Base { inner = class { constructor() {} }; }',
    'class extends Base { static constructor() {} }',
    'class extends Base { static get constructor() {} }',
    'class extends Base { static async constructor() {} }',
    'class extends Base { static *constructor() {} }',
    'class extends Base { $constructor() {} }',
    'class extends Base { ["constructor"]() {} }',
    'class extends Base { make() { return this.constructor(); } }',
  ])('is false for %j', (source) => {
    expect(hasEmptyConstructor(evaluate(source))).toBe(false);
  });

  const fields = 'class Derived extends Base { text = "a"; }';
  const evaluateAll = (code: string) =>
    runInThisContext(`{ class Base {}; ${code}; Derived; }`) as Class;

  it('is false for the constructor that tsc writes for fields', () => {
    const compilerOptions = { target: ts.ScriptTarget.ES2021 };
    const { outputText } = ts.transpileModule(fields, { compilerOptions });
    expect(outputText).toContain('constructor() {');
    expect(hasEmptyConstructor(evaluateAll(outputText))).toBe(false);
  });

  it('is false for the constructor that swc writes for fields', () => {
    const { code } = transformSync(fields, { jsc: { target: 'es2021' }, isModule: false });
    expect(code).toContain('constructor(');
    expect(hasEmptyConstructor(evaluateAll(code))).toBe(false);
  });
});
