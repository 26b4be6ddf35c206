import { describe, expect, it } from 'vitest';
import { classNeeding } from '../../test/classes.js';
import { locationAfter } from '../../test/location.js';
import { lazy } from '../dependency.js';
import { InjectionError, InvalidDecoratorError } from '../errors/injection-errors.js';
import { Inject, InjectAll, Optional } from './inject.js';
import { Repository, Service } from './service.js';

/** The decorators as JavaScript sees them, without types. */
type Untyped = (...args: unknown[]) => (...decorated: unknown[]) => unknown;
const [service, repository, inject, injectAll, optional] = [
  Service,
  Repository,
  Inject,
  InjectAll,
  Optional,
] as unknown as [Untyped, Untyped, Untyped, Untyped, Untyped];

class Users {
  run() {}
  static create() {}
}

/** What compilers pass to the decorator of each place. */
const places = {
  class: [Users],
  method: [Users.prototype, 'run', Object.getOwnPropertyDescriptor(Users.prototype, 'run')],
  'static method': [Users, 'create', Object.getOwnPropertyDescriptor(Users, 'create')],
  property: [Users.prototype, 'db', undefined],
  'static property': [Users, 'db', undefined],
  'property of a standard decorator': [undefined, { kind: 'field', name: 'db' }],
  'parameter of the constructor': [Users, undefined, 0],
  'parameter of a method': [Users.prototype, 'run', 0],
} satisfies Record<string, unknown[]>;

const scopes = "'singleton', 'transient' or 'request'";
const onlyParameters =
  'only parameters of a constructor are injected.\n  Fix: move it to a parameter of the constructor.';
const onlyClasses = 'it decorates classes only.\n  Fix: move it to the class.';

type Misuse = [name: string, decorate: () => unknown, message: string];

const misuses: Misuse[] = [
  [
    '@Inject on a parameter with @InjectAll',
    () => {
      const parameter = [class Reports {}, undefined, 0];
      optional()(...parameter);
      injectAll('report')(...parameter);
      inject('report')(...parameter);
    },
    '@Inject() to parameter 0 of Reports: the parameter has another @Inject() or @InjectAll().\n  Fix: keep one.',
  ],
  [
    '@Service with an unknown option',
    () => service({ scoped: 'request' })(...places.class),
    "@Service() to the class Users: @Service() has no option 'scoped'. Did you mean 'scope'?",
  ],
  [
    '@Service with an unknown scope',
    () => service({ scope: 'REQUEST' })(...places.class),
    `@Service() to the class Users: scope of @Service() must be ${scopes}: got 'REQUEST'.`,
  ],
  [
    '@Service with a value as eager',
    () => service({ eager: 'yes' })(...places.class),
    "@Service() to the class Users: eager of @Service() must be true or false: got 'yes'.",
  ],
  [
    '@Repository with a name',
    () => repository('users')(...places.class),
    "@Repository() to the class Users: options of @Repository() must be an object: got 'users'.",
  ],
  [
    '@Service with an eager request scope',
    () => service({ scope: 'request', eager: true })(...places.class),
    "@Service() to the class Users: an eager provider must be a singleton, but its scope is 'request'.\n  Fix: remove eager, or set the scope to 'singleton'.",
  ],
  [
    '@Service without parentheses',
    () => service(...places.class),
    '@Service to the class Users: its parentheses are missing.\n  Fix: write @Service().',
  ],
  [
    '@Repository without parentheses',
    () => repository(...places.class),
    '@Repository to the class Users: its parentheses are missing.\n  Fix: write @Repository().',
  ],
  [
    '@Service on a method',
    () => service()(...places.method),
    `@Service() to the method Users.run: ${onlyClasses}`,
  ],
  [
    '@Service on a static method',
    () => service()(...places['static method']),
    `@Service() to the static method Users.create: ${onlyClasses}`,
  ],
  [
    '@Inject on a method',
    () => inject(Users)(...places.method),
    `@Inject() to the method Users.run: ${onlyParameters}`,
  ],
  [
    '@Inject on a property',
    () => inject(Users)(...places.property),
    `@Inject() to the property Users.db: ${onlyParameters}`,
  ],
  [
    '@Inject on a static property',
    () => inject(Users)(...places['static property']),
    `@Inject() to the static property Users.db: ${onlyParameters}`,
  ],
  [
    '@Inject as a standard decorator',
    () => inject(Users)(...places['property of a standard decorator']),
    `@Inject() to the field db: ${onlyParameters}`,
  ],
  [
    '@Inject on a class',
    () => inject(Users)(...places.class),
    `@Inject() to the class Users: ${onlyParameters}`,
  ],
  [
    '@InjectAll on a parameter of a method',
    () => injectAll(Users)(...places['parameter of a method']),
    `@InjectAll() to parameter 0 of Users.run: ${onlyParameters}`,
  ],
  [
    '@Optional on a property',
    () => optional()(...places.property),
    `@Optional() to the property Users.db: ${onlyParameters}`,
  ],
  [
    '@Inject without a token',
    () => inject()(...places['parameter of the constructor']),
    '@Inject() to parameter 0 of Users: the token is missing.\n  Fix: pass the token of the dependency.',
  ],
  [
    '@InjectAll without a token',
    () => injectAll()(...places['parameter of the constructor']),
    '@InjectAll() to parameter 0 of Users: the token is missing.',
  ],
  [
    '@Inject with a function',
    () => inject(() => Users)(...places['parameter of the constructor']),
    '@Inject() to parameter 0 of Users: the token is a function, which is not a class.\n  Fix: pass the class itself, or lazy(() => TheClass)',
  ],
  [
    "@Inject with another framework's forward reference",
    () => inject({ forwardRef: () => Users })(...places['parameter of the constructor']),
    '@Inject() to parameter 0 of Users: the token is an object.\n  Fix: write lazy(() => TheClass) instead of forwardRef(() => TheClass).',
  ],
  [
    '@Inject with a number',
    () => inject(5)(...places['parameter of the constructor']),
    '@Inject() to parameter 0 of Users: the token is 5.\n  Fix: pass a class, a string, a symbol or the result of token().',
  ],
  [
    '@Inject with two arguments',
    () => inject(Users, { optional: true })(...places['parameter of the constructor']),
    '@Inject() to parameter 0 of Users: it takes one argument.',
  ],
  [
    '@InjectAll with an array',
    () => injectAll([Users])(...places['parameter of the constructor']),
    '@InjectAll() to parameter 0 of Users: the token is [the class Users].\n  Fix: pass one token.',
  ],
  [
    '@InjectAll with a lazy dependency',
    () => injectAll(lazy(() => Users))(...places['parameter of the constructor']),
    '@InjectAll() to parameter 0 of Users: the token is a result of lazy(), optional() or all().',
  ],
  [
    '@Optional with a token',
    () => optional(Users)(...places['parameter of the constructor']),
    '@Optional() to parameter 0 of Users: it takes no arguments.\n  Fix: write @Optional(), next to @Inject(token).',
  ],
  [
    '@Optional in a class with static inject',
    () => optional()(classNeeding('Listed', 'url'), undefined, 0),
    '@Optional() to parameter 0 of Listed: `static inject` of the class lists its dependencies.\n  Fix: remove the decorator, or `static inject`.',
  ],
  [
    '@Inject without parentheses on a property',
    () => inject(...places.property),
    '@Inject to the property Users.db: its parentheses are missing.\n  Fix: write @Inject(token).',
  ],
  [
    '@Inject without parentheses on a property of a standard decorator',
    () => inject(...places['property of a standard decorator']),
    '@Inject to the field db: its parentheses are missing.\n  Fix: write @Inject(token).',
  ],
  [
    '@Inject without parentheses on a class of a standard decorator',
    () => inject(Users, { kind: 'class', name: 'Users' }),
    '@Inject to the class Users: its parentheses are missing.\n  Fix: write @Inject(token).',
  ],
  [
    '@Inject without parentheses on a parameter',
    () => inject(...places['parameter of the constructor']),
    '@Inject to parameter 0 of Users: its parentheses are missing.\n  Fix: write @Inject(token).',
  ],
  [
    '@InjectAll without parentheses',
    () => injectAll(...places['parameter of the constructor']),
    '@InjectAll to parameter 0 of Users: its parentheses are missing.',
  ],
  [
    '@Optional without parentheses',
    () => optional(...places['parameter of the constructor']),
    '@Optional to parameter 0 of Users: its parentheses are missing.\n  Fix: write @Optional().',
  ],
];

/** Returns the message without the location. */
function messageOf(decorate: () => unknown): string {
  try {
    decorate();
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidDecoratorError);
    expect(error).toBeInstanceOf(InjectionError);
    expect(error).toMatchObject({ code: 'INVALID_DECORATOR' });
    return (error as Error).message.replace(/\n {2}At: .*/g, '');
  }
  return 'nothing was thrown';
}

describe('a decorator fails', () => {
  it.each(misuses)('%s', (_name, decorate, message) => {
    expect(messageOf(decorate)).toContain(`Cannot apply ${message}`);
  });

  it('with every mistake in its options', () => {
    const decorate = () => service({ scope: 1, eagre: true })(...places.class);

    expect(messageOf(decorate).split('\n')).toEqual([
      `Cannot apply @Service() to the class Users: scope of @Service() must be ${scopes}: got 1.`,
      "Cannot apply @Service() to the class Users: @Service() has no option 'eagre'. Did you mean 'eager'?",
    ]);
  });

  it.each<[string, () => ReturnType<Untyped>, unknown[]]>([
    ['@Service()', () => service({ scoped: 'here' }), places.class],
    ['@Inject()', () => inject('here'), places.property],
  ])('%s with the class and the place where it is written', (text, create, decorated) => {
    const decorate = create();

    expect(() => decorate(...decorated)).toThrow(
      expect.objectContaining({
        token: Users,
        location: locationAfter(import.meta.url, `    ['${text}', () => `),
      }),
    );
  });
});

describe('a decorator accepts', () => {
  it('undefined for an option and for a token that an import cycle leaves undefined', () => {
    expect(() => service({ scope: undefined })(class {})).not.toThrow();
    expect(() => inject(undefined)(class {}, undefined, 0)).not.toThrow();
    expect(() => injectAll(undefined)(class {}, undefined, 0)).not.toThrow();
  });

  it('a class from a compiler of standard decorators', () => {
    expect(() => service()(class {}, { kind: 'class', name: 'A' })).not.toThrow();
  });
});
