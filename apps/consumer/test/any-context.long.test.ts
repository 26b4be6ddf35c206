import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { workspace } from './support/project.js';

/** The modules that users import, by file. */
function findEntries(): Map<string, string> {
  const entries = new Map<string, string>();
  for (const file of globSync('packages/*/package.json', { cwd: workspace })) {
    const manifest = JSON.parse(readFileSync(join(workspace, file), 'utf8'));
    for (const [name, targets] of Object.entries<Record<string, string>>(manifest.exports ?? {})) {
      const source = targets['@fairlead/source'];
      if (source === undefined || manifest.private === true) continue;
      entries.set(join(workspace, file, '..', source), join(manifest.name, name));
    }
  }
  return entries;
}

/** Types of functions that the application calls before a schema has read anything. */
const CALLED_BY_THE_APPLICATION = new Set(['Middleware', 'AnyMiddleware']);

/** Descriptions of routes and handlers. Their functions are those that users have passed. */
const DESCRIPTIONS = new Set(['BuiltRoute', 'RouteDefinition', 'Route', 'HandlerParts']);

/** Factories of guards, middleware and handlers, which the application calls as well. */
const FACTORY = /Guard\(\)$|(?:websocket|overload)\(\)$/;

/** Finds the functions that users call with a context and that do not take each one. */
class Finder {
  readonly found = new Set<string>();
  readonly takers = new Set<string>();
  readonly #checker: ts.TypeChecker;
  readonly #context: ts.Symbol;
  readonly #anyContext: ts.Type;
  /** Those of packages by symbol, because generic types may have infinitely many instances. */
  readonly #seen = { given: new Set<object>(), taken: new Set<object>() };

  constructor(checker: ts.TypeChecker, core: ts.Symbol) {
    this.#checker = checker;
    const exported = (name: string) =>
      checker.getDeclaredTypeOfSymbol(
        checker.getAliasedSymbol(core.exports?.get(ts.escapeLeadingUnderscores(name)) as ts.Symbol),
      );
    this.#context = exported('Context').symbol;
    this.#anyContext = exported('AnyContext');
  }

  /** Looks at a value that users receive. */
  give(type: ts.Type, path: string): void {
    for (const part of this.#partsOf(type, 'given')) {
      for (const signature of signaturesOf(part)) {
        for (const parameter of signature.getParameters()) {
          const taken = this.#checker.getTypeOfSymbol(parameter);
          if (membersOf(taken).some(({ symbol }) => symbol === this.#context)) {
            this.takers.add(path);
            if (!this.#checker.isTypeAssignableTo(this.#anyContext, taken)) this.found.add(path);
          } else this.#take(taken, path);
        }
        this.give(signature.getReturnType(), `${path}()`);
      }
      for (const [name, member] of this.#propertiesOf(part)) this.give(member, `${path}${name}`);
    }
  }

  /** Looks at a value that users pass: what its functions receive is given to them. */
  #take(type: ts.Type, path: string): void {
    for (const part of this.#partsOf(type, 'taken')) {
      for (const signature of signaturesOf(part)) {
        for (const parameter of signature.getParameters()) {
          this.give(this.#checker.getTypeOfSymbol(parameter), `${path}(${parameter.name})`);
        }
      }
      for (const [name, member] of this.#propertiesOf(part)) this.#take(member, `${path}${name}`);
    }
  }

  /** The parts of a type that were not seen before, and whose declarations are in a package. */
  #partsOf(type: ts.Type, direction: 'given' | 'taken'): readonly ts.Type[] {
    if (direction === 'given' && isCalledByApplication(type)) return [];
    return membersOf(type).flatMap((member) => {
      if (isForeign(member.symbol)) {
        if (this.#seen[direction].has(member)) return [];
        this.#seen[direction].add(member);
        const values = this.#checker.getTypeArguments(member as ts.TypeReference) ?? [];
        return values.flatMap((value) => this.#partsOf(value, direction));
      }
      // Users pass instances of our classes, but no implementations of them.
      const isClass = direction === 'taken' && (member.symbol.flags & ts.SymbolFlags.Class) !== 0;
      if (isClass || DESCRIPTIONS.has(member.symbol.name)) return [];
      if (isCalledByApplication(member) || this.#seen[direction].has(member.symbol)) return [];
      this.#seen[direction].add(member.symbol);
      return [member];
    });
  }

  #propertiesOf(type: ts.Type): readonly (readonly [name: string, type: ts.Type])[] {
    const published = type.getProperties().filter((property) => {
      const isPrivate = property.name.includes('#');
      const isInternal = property.getJsDocTags().some(({ name }) => name === 'internal');
      return !isPrivate && !isInternal && !isForeign(property);
    });
    return published.map((one) => [`.${one.name}`, this.#checker.getTypeOfSymbol(one)]);
  }
}

function membersOf(type: ts.Type): readonly ts.Type[] {
  return type.isUnionOrIntersection() ? type.types.flatMap(membersOf) : [type];
}

function signaturesOf(type: ts.Type): readonly ts.Signature[] {
  return [...type.getCallSignatures(), ...type.getConstructSignatures()];
}

function isCalledByApplication({ aliasSymbol }: ts.Type): boolean {
  return aliasSymbol !== undefined && CALLED_BY_THE_APPLICATION.has(aliasSymbol.name);
}

/** Whether a symbol is not declared in a package. Primitive types have none. */
function isForeign(symbol: ts.Symbol | undefined): boolean {
  const files = symbol?.declarations?.map((one) => one.getSourceFile().fileName) ?? [];
  return files.every((file) => file.includes('/node_modules/'));
}

it('every public function that takes a context takes any context', () => {
  const entries = findEntries();
  const path = join(workspace, 'tsconfig.json');
  const { config } = ts.readConfigFile(join(workspace, 'tsconfig.base.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, workspace, path);
  const program = ts.createProgram([...entries.keys()], options);
  const checker = program.getTypeChecker();
  const symbolOf = (file: string) =>
    checker.getSymbolAtLocation(program.getSourceFile(file) as ts.SourceFile) as ts.Symbol;
  const finder = new Finder(checker, symbolOf(join(workspace, 'packages/core/src/index.ts')));
  for (const [file, name] of entries) {
    for (const symbol of checker.getExportsOfModule(symbolOf(file))) {
      finder.give(checker.getTypeOfSymbol(symbol), `${name} ${symbol.name}`);
    }
  }

  expect([...finder.takers]).toEqual(
    expect.arrayContaining([
      '@fairlead/middleware readCookies',
      '@fairlead/jwt createJwtAuth().token',
    ]),
  );
  expect([...finder.found].filter((path) => !FACTORY.test(path))).toEqual([]);
}, 120_000);
