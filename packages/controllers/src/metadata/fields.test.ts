import { runInThisContext } from 'node:vm';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { lacksMethod, mayHaveField } from './fields.js';

const { ES2017, ES2022 } = ts.ScriptTarget;

/** Compiles a class with a member for Node.js, for older programs, and with fields that are assigned. */
function classesWith(member: string): readonly object[] {
  const source = `class Base { list() {} } (class extends Base { ${member} });`;
  return [
    { target: ES2022 },
    { target: ES2017, useDefineForClassFields: true },
    { target: ES2017, useDefineForClassFields: false },
  ].map((options) => {
    const { outputText } = ts.transpileModule(source, { compilerOptions: options });
    return runInThisContext(`{${outputText}}`) as object;
  });
}

const found = (member: string, key: string | symbol = 'list') =>
  classesWith(member).map((one) => mayHaveField(one, key));

describe('a field with the name of a method', () => {
  it.each([
    'override list = () => 1;',
    'override list: () => number = () => 1;',
    'override readonly list=()=>1',
    'override list /* all */ = // of them\n () => 1;',
    'other = 1; override list = () => 1;',
    'other = 1\n list = () => 1',
    "'list' = () => 1;",
    "['list'] = () => 1;",
    'constructor(public override list = () => 1) { super(); }',
    'constructor() { super(); this.list = () => 1; }',
    'constructor() { super(), this.other = 1, this.list = () => 1; }',
    'constructor() { super(); this.list &&= () => 1; }',
    "constructor() { super(); this['list'] = () => 1; }",
    "constructor() { super(); Object.defineProperty(this, 'list', { value: () => 1 }); }",
    'constructor() { super(); __publicField(this, "list", () => 1); }',
    'constructor() { var _this = super(); _define_property(_this, "list", () => 1); }',
    'constructor() { super(); this.list = this.list.bind(this); }',
  ])('is found: %s', (member) => {
    expect(found(member)).toEqual([true, true, true]);
  });

  it.each([
    '',
    'all() { return this.list(); }',
    'all() { const list = super.list(); return list; }',
    'all() { let other = 1, list = 2; return list === 2 || list == other; }',
    'all() { const [list] = [1]; const { list: other } = { list }; return other; }',
    'all() { return [[1]].map(list => list.length >= 1); }',
    'all(list = 1, ...others) { return list <= 1 && others; }',
    'all() { return { list: 1 }; }',
    "all() { return this.other('list'); }",
    '#list = 1; $list = 2; _list = 3; listed = 4; all() { return this.#list; }',
    'static all() { return (page) => page.list != undefined; }',
  ])('is absent: %s', (member) => {
    expect(found(member)).toEqual([false, false, false]);
  });

  it('may be one whose name contains other characters, or is a symbol', () => {
    expect(found('override $all = () => 1;', '$all')).toEqual([true, true, true]);
    expect(found('all = () => 1;', '$all')).toEqual([false, false, false]);
    expect(found(String.raw`caf\u00e9 = () => 1;`, 'café')).toEqual([true, true, true]);
    expect(found('[Symbol.iterator] = () => 1;', Symbol.iterator)).toEqual([true, true, true]);
    expect(found('all() { return []; }', Symbol.iterator)).toEqual([false, false, false]);
  });

  it('may be one of a proxy, whose source is unknown', () => {
    expect(mayHaveField(new Proxy(class {}, {}), 'list')).toBe(true);
  });
});

describe('a class certainly lacks a method', () => {
  const lacking = (member: string) => classesWith(member).map((one) => lacksMethod(one, 'run'));

  it.each([
    '',
    'constructor() { super(); }',
    'constructor(db, { all } = {}) { super(); this.db = db; if (all) { this.all = "}"; } }',
    'constructor(db) { super(); /* ` */ this.db = db; } find() { return this.db.find(`a`) / 2; }',
    'runs() { return this.constructor.name; }',
    '$run() { return this.running; }',
  ])('that nothing adds: %s', (member) => {
    expect(lacking(member)).toEqual([true, true, true]);
  });

  it.each([
    'run() {}',
    'run = () => 1;',
    'get run() { return () => 1; }',
    'constructor(methods) { super(); ({ run: this.run } = methods); }',
    'constructor() { super(); const self = this; self[name] = () => 1; }',
    'constructor() { super(); Object.assign(this, methods); }',
    'constructor() { super(); return methods; }',
    "'constructor'() { return methods; }",
    'constructor() { super(); this.other = `}`; return methods; }',
    'constructor() { super(); if (/}/.test(name)) return methods; }',
    'constructor() { super(); this.text = "}"; this.other = () => {}; return methods; }',
    'all() { return this.constructor; } constructor() { super(); return methods; }',
    'constructor() { super(); super[name] = () => 1; }',
    'constructor() { super(); new.target.prototype[name] = () => 1; }',
    'constructor() { super(); Object.assign(this.constructor.prototype, methods); }',
    'constructor() { super(); eval(code); }',
    'constructor() { const self = super(); Object.assign(self, methods); }',
    'constructor() { Object.assign(super(), methods); }',
    'constructor() { super(); Object.assign(super.valueOf(), methods); }',
    String.raw`r\u0075n = () => 1;`,
  ])('unless its code may add it: %s', (member) => {
    expect(lacking(member)).toEqual([false, false, false]);
  });

  it('unless that of a base class may add it, or is unknown', () => {
    const [ofArray, ofFunction, ofReturned, computed] = runInThisContext(
      `const NAME = 'run'; [
        class extends Array {},
        class extends function () {} {},
        class extends (class { constructor() { return {}; } }) {},
        class { [NAME] /* it */ = () => 1; },
      ]`,
    ) as object[];
    const all = [ofArray, ofFunction, ofReturned, computed, new Proxy(class {}, {})];
    expect(all.map((one) => lacksMethod(Object(one), 'run'))).toEqual(all.map(() => false));
    expect(lacksMethod(class {}, Symbol.iterator)).toBe(false);
  });
});
