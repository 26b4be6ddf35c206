import { describe, expect, it } from 'vitest';
import { classNeeding } from '../test/classes.js';
import { Container, createContainer } from './container.js';
import { all, lazy, optional, token } from './dependency.js';
import { InvalidArgumentError } from './errors/injection-errors.js';

class Clock {}

/** Calls a function without types, as from JavaScript. */
const untyped = (call: unknown) => call as (...args: unknown[]) => unknown;
const container = createContainer();

describe('a function names the argument that it cannot use', () => {
  it.each<[string, () => unknown, string, string]>([
    [
      'lazy with a class',
      () => untyped(lazy)(Clock),
      'lazy() received the class Clock instead of a function',
      'write lazy(() => Clock).',
    ],
    [
      'lazy with a token',
      () => untyped(lazy)('clock'),
      "lazy() received 'clock' instead of a function",
      'write lazy(() => TheClass).',
    ],
    [
      'token without a name',
      () => untyped(token)(),
      'token() cannot use undefined as name.',
      'pass the name that error messages show',
    ],
    [
      'token with an empty name',
      () => token(''),
      "token() cannot use '' as name.",
      'pass the name that error messages show',
    ],
    [
      'token with a class',
      () => untyped(token)(Clock),
      'token() cannot use the class Clock as name.',
      'pass the name that error messages show',
    ],
    [
      'optional with an array',
      () => untyped(optional)([Clock]),
      'optional(): the token is [the class Clock].',
      'pass one token.',
    ],
    [
      'all with a lazy dependency',
      () => untyped(all)(lazy(() => Clock)),
      'all(): the token is a result of lazy(), optional() or all().',
      'pass the token alone.',
    ],
    [
      'validate with a token',
      () => untyped(container.validate.bind(container))(Clock),
      'container.validate() cannot use the class Clock as roots.',
      'pass an array, as in container.validate([Clock]).',
    ],
    [
      'classesOf with a token',
      () => untyped(container.classesOf.bind(container))('x'),
      "container.classesOf() cannot use 'x' as roots.",
      "pass an array, as in container.classesOf(['x']).",
    ],
    [
      'instancesOf with a token',
      () => untyped(container.instancesOf.bind(container))('x'),
      "container.instancesOf() cannot use 'x' as roots.",
      "pass an array, as in container.instancesOf(['x']).",
    ],
    [
      'a container with an object as parent',
      () => Reflect.construct(Container, [{}]),
      'new Container() cannot use an object as parent.',
      'pass a Container, or nothing.',
    ],
    [
      'a container with a text as parent',
      () => Reflect.construct(Container, ['parent']),
      "new Container() cannot use 'parent' as parent.",
      'pass a Container, or nothing.',
    ],
    [
      'restore with a snapshot of another container',
      () => createContainer().restore(container.snapshot()),
      'container.restore() cannot use a snapshot of another container.',
      'pass what snapshot() of the same container has returned.',
    ],
    [
      'restore with a snapshot of a parent',
      () => container.createChild().restore(container.snapshot()),
      'container.restore() cannot use a snapshot of another container.',
      'pass what',
    ],
    [
      'restore with an object',
      () => container.restore({} as never),
      'container.restore() cannot use an object.',
      'pass what',
    ],
  ])('%s', (_name, call, problem, fix) => {
    expect(call).toThrow(InvalidArgumentError);
    expect(call).toThrow(problem);
    expect(call).toThrow(`\n  Fix: ${fix}`);
  });

  it('restores nothing of another container', () => {
    const other = createContainer().register('x', { useValue: 1 });
    const snapshot = other.snapshot();
    other.register('x', { useValue: 2 });
    expect(() => container.restore(snapshot)).toThrow(InvalidArgumentError);

    expect(other.resolve('x')).toBe(2);
  });

  it.each<[string, unknown[], string]>([
    ['roots', [Clock], 'pass an array, as in container.initialize([Clock]).'],
    [
      'an unknown option',
      [[], { singleton: 'all' }],
      "container.initialize() has no option 'singleton'. Did you mean 'singletons'?",
    ],
    [
      'an unknown value',
      [[], { singletons: 'every' }],
      "singletons of container.initialize() must be 'eager' or 'all': got 'every'.",
    ],
  ])('initialize with %s', async (_name, args, message) => {
    const call = async () => untyped(container.initialize.bind(container))(...args);

    await expect(call()).rejects.toThrow(message);
  });
});

describe('a token that an import cycle makes undefined', () => {
  it('is left to the container, which names the class', () => {
    const Early = classNeeding('Early', optional(undefined as never), all(undefined as never));
    const messages = container.validate([Early]).map(({ message }) => message);

    expect(messages).toEqual([
      expect.stringContaining('Cannot inject parameter 0 of Early: optional() received undefined.'),
      expect.stringContaining('Cannot inject parameter 1 of Early: all() received undefined.'),
    ]);
  });
});
