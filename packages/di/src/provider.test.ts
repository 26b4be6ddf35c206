import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createContainer } from './container.js';
import { lazy, token } from './dependency.js';
import { InvalidProviderError } from './errors/injection-errors.js';

class Clock {}
class Mailer {}

/** Registers without types, as from JavaScript. */
function register(...args: readonly unknown[]): unknown {
  const container = createContainer();
  return container.register(...(args as Parameters<typeof container.register>));
}

const undefinedFix = 'check its import. It is undefined while two modules import each other.';

describe('Container.register names the mistake and its fix', () => {
  it.each<[string, unknown[], string, string]>([
    [
      'an unknown kind',
      ['x', { useFactoy: () => 1 }],
      "'x': the provider has none of useValue, useClass, useFactory, useExisting.",
      'rename useFactoy to useFactory.',
    ],
    [
      'a plain object',
      ['x', { url: 'db:' }],
      "'x': the provider has none of useValue,",
      "write container.register('x', { useValue | useClass | useFactory | useExisting }). If the object is the instance, wrap it in { useValue }.",
    ],
    [
      'a plain object for a typed token',
      [token('Url'), { url: 'db:' }],
      'token(Url): the provider has none of useValue,',
      'write container.register(token, { useValue |',
    ],
    [
      'two kinds',
      ['x', { useValue: 1, useClass: Clock }],
      "'x': the provider has useValue and useClass.",
      'remove all but one of them.',
    ],
    [
      'an unknown key next to a kind',
      ['x', { useFactory: () => 1, injct: [] }],
      "'x': a provider with useFactory has no option 'injct'.",
      'rename it to inject.',
    ],
    [
      'an unlike key next to a kind',
      ['x', { useValue: 1, foo: 1 }],
      "'x': a provider with useValue has no option 'foo'.",
      'remove it.',
    ],
    [
      'dependencies of a class',
      [Clock, { useClass: Clock, inject: [Mailer] }],
      "Clock: a provider with useClass has no option 'inject'.",
      'list the dependencies of a class in its `static inject`, or mark its parameters with @Inject(token).',
    ],
    [
      'dependencies of a value',
      ['x', { useValue: 1, inject: [Mailer] }],
      "'x': a provider with useValue has no option 'inject'.",
      'remove it. Only a factory has dependencies to inject.',
    ],
    [
      'an option in the provider',
      ['x', { useClass: Clock, scope: 'request' }],
      "'x': a provider with useClass has no option 'scope'.",
      'pass { scope } as the third argument.',
    ],
    [
      'provide next to a kind',
      ['x', { provide: 'x', useClass: Clock }],
      "'x': a provider with useClass has no option 'provide'.",
      'remove it. The token is the first argument.',
    ],
    [
      'an object with provide',
      [{ provide: Clock, useClass: Clock }],
      'an object: the first argument is the token, not an object with provide.',
      'write container.register(Clock, { useClass }).',
    ],
    [
      'a class as the provider',
      [Mailer, Clock],
      'Mailer: the provider is the class Clock instead of an object.',
      'write container.register(Mailer, { useClass: Clock }).',
    ],
    [
      'a function as the provider',
      ['x', () => 1],
      "'x': the provider is a function instead of an object.",
      "write container.register('x', { useFactory }).",
    ],
    [
      'a value as the provider',
      ['port', 8080],
      "'port': the provider is 8080 instead of an object.",
      "write container.register('port', { useValue }).",
    ],
    [
      'a token that is no class and has no provider',
      ['x'],
      "'x': it has no provider.",
      "write container.register('x', { useValue | useClass | useFactory | useExisting }).",
    ],
    [
      'a list of providers',
      [[Clock, Mailer]],
      '[the class Clock, the class Mailer]: the token is [the class Clock, the class Mailer].',
      'call container.register() once for each provider.',
    ],
    [
      'an undefined token',
      [undefined, { useValue: 1 }],
      'undefined: the token is undefined.',
      undefinedFix,
    ],
    [
      'a function as the token',
      [() => Clock, { useValue: 1 }],
      'a function: the token is a function, which is not a class.',
      'pass the class itself,',
    ],
    [
      'a number as the token',
      [1, { useValue: 1 }],
      '1: the token is 1.',
      'pass a class, a string, a symbol or the result of token().',
    ],
    [
      'an instance as the class',
      ['x', { useClass: new Clock() }],
      "'x': useClass is not a class but an instance of Clock.",
      'use useValue for an instance.',
    ],
    [
      'a function as the class',
      ['x', { useClass: () => 1 }],
      "'x': useClass is not a class but ",
      'use useFactory for a function.',
    ],
    [
      'a string as the class',
      ['x', { useClass: 'Clock' }],
      "'x': useClass is not a class but 'Clock'.",
      'pass a class.',
    ],
    [
      'an undefined class',
      ['x', { useClass: undefined }],
      "'x': useClass is not a class but undefined.",
      undefinedFix,
    ],
    [
      'a value as the factory',
      ['x', { useFactory: 1 }],
      "'x': useFactory is not a function but 1.",
      'pass a function that returns the instance, or use useValue.',
    ],
    [
      'a class as the factory',
      ['x', { useFactory: Clock }],
      "'x': useFactory is the class Clock.",
      'use useClass for a class.',
    ],
    [
      'a token as inject',
      ['x', { useFactory: () => 1, inject: Clock }],
      "'x': inject is not an array of dependencies but the class Clock.",
      'write inject: [token].',
    ],
    [
      'an undefined dependency',
      ['x', { useFactory: () => 1, inject: [Clock, undefined] }],
      "'x': entry 1 of inject is not a token: the token is undefined.",
      undefinedFix,
    ],
    [
      'a hole among the dependencies',
      // biome-ignore lint/suspicious/noSparseArray: a comma too many
      ['x', { useFactory: () => 1, inject: [, Clock] }],
      "'x': entry 0 of inject is not a token: the token is undefined.",
      undefinedFix,
    ],
    [
      'too few dependencies',
      ['x', { useFactory: (clock: Clock) => clock }],
      "'x': useFactory takes 1 parameter, but inject lists 0.",
      'list one dependency for each parameter in inject. If a parameter is optional, give it a default value.',
    ],
    [
      'an undefined alias',
      ['x', { useExisting: undefined }],
      "'x': useExisting is not a token: the token is undefined.",
      undefinedFix,
    ],
    [
      'a lazy alias',
      ['x', { useExisting: lazy(() => Clock) }],
      "'x': useExisting is not a token: the token is a result of lazy(), optional() or all().",
      'pass the token alone.',
    ],
    [
      'a scope of a value',
      ['x', { useValue: 1 }, { scope: 'request' }],
      "'x': useValue takes no scope because it creates no instance.",
      'remove scope, or use useClass or useFactory.',
    ],
  ])('%s', (_name, args, problem, fix) => {
    const call = () => register(...args);

    expect(call).toThrow(InvalidProviderError);
    expect(call).toThrow(`Cannot register ${problem}`);
    expect(call).toThrow(`\n  Fix: ${fix}`);
  });

  it.each<[string, (value: never) => unknown]>([
    ['a function of Node.js', randomUUID],
    ['a native function', Symbol.for],
    ['??', (zone?: string) => zone ?? 'UTC'],
    ['a comparison', (zone?: string) => (zone === undefined ? 'UTC' : zone)],
    [
      'if',
      async (zone?: string) => {
        if (zone) return zone;
        return 'UTC';
      },
    ],
    ['an optional chain', (zone?: string) => zone?.length],
  ])('not a factory with an optional parameter: %s', (_name, useFactory) => {
    expect(() => register('x', { useFactory })).not.toThrow();
  });

  it('a factory of another module, whose optional parameter it cannot change', () => {
    const createClient = (options?: object) => Object.create(Clock.prototype, options as never);

    expect(() => register('client', { useFactory: createClient })).toThrow(
      'If a parameter is optional, give it a default value, or write { useFactory: () => createClient() }.',
    );
  });

  it.each<[string, unknown, string]>([
    [
      'unknown',
      { scop: 'request' },
      "container.register() has no option 'scop'. Did you mean 'scope'?",
    ],
    [
      'of the wrong type',
      { multi: 1 },
      'multi of container.register() must be true or false: got 1.',
    ],
    ['a scope', 'transient', "options of container.register() must be an object: got 'transient'."],
  ])('an option that is %s', (_name, options, message) => {
    const call = () => register('x', { useClass: Clock }, options);

    expect(call).toThrow(`Cannot register 'x': ${message}`);
  });

  it('reports all mistakes of a call', () => {
    const call = () => register('x', { useClass: 1, provide: 'x' }, { scop: 1, multi: 1 });

    expect(call).toThrow(
      /has no option 'provide'\.\n.*\n.*useClass is not a class.*\n.*\n.*'scop'.*\n.*multi of/,
    );
  });
});

describe('Container.override', () => {
  it('names itself', () => {
    const override = () => createContainer().override('x', 5 as never, { mult: true } as never);

    expect(override).toThrow("Cannot override 'x': the provider is 5 instead of an object.");
    expect(override).toThrow("container.override() has no option 'mult'. Did you mean 'multi'?");
  });
});

describe('RequestScope.register', () => {
  const container = createContainer()
    .register('single', { useFactory: () => 1 })
    .register('request', { useFactory: () => 1 }, { scope: 'request' });

  it.each([
    ['request', 5, 'pass { useValue }.'],
    ['request', { useFactory: () => 1 }, 'pass { useValue }.'],
    ['single', { useValue: 1 }, "register it in the container with the scope 'request'"],
  ])('says what it accepts for %s and %j', (token, provider, fix) => {
    const register = () => container.createScope().register(token, provider as never);

    expect(register).toThrow(InvalidProviderError);
    expect(register).toThrow(
      'a request scope accepts only { useValue } for a request-scoped token.',
    );
    expect(register).toThrow(fix);
  });
});
