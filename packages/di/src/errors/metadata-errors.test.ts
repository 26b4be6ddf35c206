import { beforeEach, describe, expect, it } from 'vitest';
import { classNeeding } from '../../test/classes.js';
import { resolveError } from '../../test/resolve-error.js';
import { type Container, createContainer } from '../container.js';
import { Inject } from '../decorators/inject.js';
import { Service } from '../decorators/service.js';
import { optional } from '../dependency.js';
import type { Constructor } from '../token.js';
import { ErasedTypeError, MissingMetadataError, UndefinedTypeError } from './metadata-errors.js';

let container: Container;
beforeEach(() => {
  container = createContainer();
});

class Unmarked {}

interface Options {
  readonly level: string;
}

describe('missing metadata', () => {
  it('is reported for a registered class without a decorator', () => {
    class Plain {
      constructor(readonly unmarked: Unmarked) {}
    }
    container.register(Plain);
    const error = resolveError(container, Plain);

    expect(error).toBeInstanceOf(MissingMetadataError);
    expect(error).toMatchObject({ code: 'DI_MISSING_METADATA', token: Plain, parameter: 0 });
    expect(error.message).toContain(
      'the type of its constructor parameter 0 is unknown, because the class has neither `static inject` nor a decorator',
    );
    expect(error.message).toContain('add @Service() to Plain and compile with');
    expect(error.message).toContain('emitDecoratorMetadata');
    expect(error.message).toContain('static inject');
  });

  it.each([
    ['the class', (target: Constructor) => Service()(target)],
    ['a parameter', (target: Constructor) => Inject('value')(target, undefined, 0)],
    ['the class, from another package', Reflect.metadata('elsewhere', true)],
  ])('is blamed on the compiler when there is a decorator on %s', (_target, decorate) => {
    class Marked {
      constructor(
        readonly value: string,
        readonly unmarked: Unmarked,
      ) {}
    }
    decorate(Marked);
    container.register(Marked);
    const { message } = resolveError(container, Marked);

    expect(message).toContain('the compiler emitted no types for the decorated class');
    expect(message).toContain(
      'emitDecoratorMetadata (swc: jsc.transform.decoratorMetadata), which esbuild and tsx do not support',
    );
    expect(message).toContain('static inject');
    expect(message).not.toContain('add @Service()');
  });

  it('is reported for a static inject that is too short', () => {
    class Short {
      static inject = [Unmarked] as const;
      constructor(
        readonly first: Unmarked,
        readonly second: Unmarked,
      ) {}
    }

    const error = resolveError(container, Short);

    expect(error).toMatchObject({ code: 'DI_MISSING_METADATA', parameter: 1 });
    expect(error.message).toContain('`static inject` has too few entries');
    expect(error.message).toContain('list every parameter in `static inject = [...] as const`');
  });

  it('is reported for an optional parameter that a static inject leaves out, and corrected by its fix', () => {
    class Left {
      static inject = [] as const;
      constructor(readonly unmarked?: Unmarked) {}
    }
    class Listed {
      static inject = [optional(Unmarked)] as const;
      constructor(readonly unmarked?: Unmarked) {}
    }
    class Defaulted {
      static inject = [] as const;
      constructor(readonly unmarked: Unmarked | undefined = undefined) {}
    }

    expect(resolveError(container, Left).message).toContain(
      'in order. If one is optional, list optional(token), or give it a default value to leave it out.',
    );
    expect(container.resolve(Listed).unmarked).toBeUndefined();
    expect(container.resolve(Defaulted).unmarked).toBeUndefined();
  });

  it('is reported for an undecorated base whose constructor a decorated class inherits', () => {
    class Base {
      constructor(readonly unmarked: Unmarked) {}
    }
    @Service()
    class Derived extends Base {}

    expect(resolveError(container, Derived)).toMatchObject({
      code: 'DI_MISSING_METADATA',
      token: Base,
    });
  });

  it('is not blamed on a compiler that emits types if only members are decorated', () => {
    abstract class Base {
      constructor(readonly value: string) {}
      @Reflect.metadata('of a method', true)
      read(): string {
        return this.value;
      }
    }
    Reflect.defineMetadata('elsewhere', true, Base);
    @Service()
    class Derived extends Base {}
    const { message } = resolveError(container, Derived);

    expect(message).toContain('the class has neither `static inject` nor a decorator.');
    expect(message).toContain(
      'add @Service() to Base, or @Inject(token) to each parameter if it is abstract, and compile with',
    );
    Inject('value')(Base as never, undefined, 0);
    container.register('value', { useValue: 'v' });
    expect(container.resolve(Derived).read()).toBe('v');
  });

  it('is not reported when every parameter is marked, as esbuild requires', () => {
    class Marked {
      constructor(readonly value: string) {}
    }
    Inject('value')(Marked, undefined, 0);
    container.register('value', { useValue: 'v' }).register(Marked);

    expect(container.resolve(Marked).value).toBe('v');
  });
});

describe('an erased type', () => {
  it('is reported for an interface', () => {
    @Service()
    class Configured {
      constructor(
        @Inject('unused') readonly first: string,
        readonly options: Options,
      ) {}
    }
    container.register('unused', { useValue: '' });
    const error = resolveError(container, Configured);

    expect(error).toBeInstanceOf(ErasedTypeError);
    expect(error).toMatchObject({ code: 'DI_ERASED_TYPE', token: Configured, parameter: 1 });
    expect(error.message).toContain('parameter 1 of Configured: its type was erased to Object');
    expect(error.message).toContain('import type');
    expect(error.message).toContain('@Inject(lazy(() => TheClass))');
  });

  it('is reported for a primitive with a default value', () => {
    @Service()
    class Limited {
      constructor(readonly limit: number = 10) {}
    }

    const { message } = resolveError(container, Limited);

    expect(message).toContain('erased to Number');
    expect(message).not.toContain('import type');
  });

  it('is reported for an enum, which some compilers emit as an object', () => {
    const error = resolveError(container, classNeeding('Painted', { Red: 0 }));

    expect(error.message).toContain(
      "its type is not a class at run time but a value of type 'object'",
    );
    expect(error.message).toContain("such as const NAME = token<Type>('name')");
  });

  it.each([
    ['a function', Function],
    ['an array', Array],
    ['a promise', Promise],
    ['an enum object', { Red: 0 }],
  ])('is reported for the type emitted for %s', (_name, type) => {
    expect(resolveError(container, classNeeding('Emitted', type))).toBeInstanceOf(ErasedTypeError);
  });
});

describe('an entry of `static inject`', () => {
  const create =
    "create a token, such as const NAME = token<Type>('name'), register its provider, and list NAME.";

  it.each([
    ['an interface', Object, create],
    ['a primitive', Number, create],
    ['a promise', Promise, create],
    ['an enum', { Red: 0 }, create],
    [
      'an array',
      Array,
      `for one instance of each provider of a class, list \`all(TheClass)\`. Otherwise, ${create}`,
    ],
    [
      'undefined',
      undefined,
      'for a class, pass `lazy(() => TheClass)`, or move one of the classes to break the import cycle.',
    ],
  ])('is fixed without decorators: %s', (_name, type, fix) => {
    const { message } = resolveError(container, classNeeding('Listed', type));

    expect(message.split('Fix: ')[1]).toBe(fix);
  });
});

describe('an undefined type', () => {
  it('is reported with a fix for an import cycle', () => {
    class Early {
      constructor(readonly late: unknown) {}
    }
    Inject(undefined as never)(Early, undefined, 0);
    container.register(Early);
    const error = resolveError(container, Early);

    expect(error).toBeInstanceOf(UndefinedTypeError);
    expect(error).toMatchObject({ code: 'DI_UNDEFINED_TYPE', token: Early, parameter: 0 });
    expect(error.message).toContain('parameter 0 of Early: @Inject() received undefined.');
    expect(error.message).toContain('@Inject(lazy(() => TheClass))');
  });
});
