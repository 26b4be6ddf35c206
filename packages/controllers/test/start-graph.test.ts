import type { URL as Location } from 'node:url';
import {
  type Constructor,
  createContainer,
  describePath,
  Inject,
  type InjectionError,
  Service,
  type Token,
} from '@fairlead/di';
import { describe, expect, it } from 'vitest';
import { Controller, Get, RequestContext } from '../src/index.js';
import { failStart } from './support/fail-start.js';
import { locationsIn } from './support/locations.js';
import { refusal } from './support/message.js';

const locationOf = locationsIn(import.meta.url);

class Base {
  @Get()
  read() {}
}

class Database {}

class Clock {
  constructor(readonly zone: string) {}
}

@Service()
class Repository {
  constructor(readonly database: Database) {}
}

@Controller()
class UnknownController extends Base {
  constructor(readonly repository: Repository) {
    super();
  }
}

@Controller()
class TokenController extends Base {
  constructor(@Inject('url') readonly url: string) {
    super();
  }
}

@Controller()
class ClockController extends Base {
  constructor(readonly clock: Clock) {
    super();
  }
}

@Controller()
class ErasedController extends Base {
  constructor(readonly location: Location) {
    super();
  }
}

@Controller()
class UndefinedController extends Base {
  // As an import cycle leaves it.
  static readonly inject = [undefined as unknown as Token<Database>] as const;
  constructor(readonly database: Database) {
    super();
  }
}

@Controller()
class CycleController extends Base {
  constructor(@Inject('first') readonly first: unknown) {
    super();
  }
}

@Controller()
class CapturingController extends Base {
  constructor(readonly ctx: RequestContext) {
    super();
  }
}

const cases: readonly (readonly [string, Constructor, string, string])[] = [
  [
    'a class that nothing provides',
    UnknownController,
    'DI_UNKNOWN_TOKEN',
    'UnknownController → Repository → Database',
  ],
  ['a token that nothing provides', TokenController, 'DI_UNKNOWN_TOKEN', "TokenController → 'url'"],
  ['a class without metadata', ClockController, 'DI_MISSING_METADATA', 'ClockController → Clock'],
  ['a type that was erased', ErasedController, 'DI_ERASED_TYPE', 'ErasedController'],
  [
    'a type that is undefined, as in an import cycle',
    UndefinedController,
    'DI_UNDEFINED_TYPE',
    'UndefinedController',
  ],
  [
    'a singleton that would capture a request-scoped instance',
    CapturingController,
    'DI_CAPTURED_SCOPE',
    'CapturingController → RequestContext',
  ],
];

describe('install rejects and registers nothing for', () => {
  it.each(cases)('%s', async (_, controller, code, path) => {
    const container = createContainer().register(Clock);
    const error = await failStart([controller], { container });
    expect(error).toMatchObject({ name: 'ControllerResolutionError', status: 500 });
    expect(error.cause).toMatchObject({ code });
    const subject = `the controller ${controller.name}`;
    expect(error.message).toBe(refusal(subject, error.cause, locationOf(controller.name)));
    const { path: tokens } = error.cause as InjectionError;
    expect(describePath(tokens)).toBe(path);
  });

  it('providers that depend on each other', async () => {
    const container = createContainer();
    container.register('first', { useFactory: (second) => second, inject: ['second'] });
    container.register('second', { useFactory: (first) => first, inject: ['first'] });
    const error = await failStart([CycleController], { container });
    expect(error.cause).toMatchObject({ code: 'DI_CYCLE' });
    expect(error.message).toBe(refusal("'first'", error.cause));
    expect(error.message).toContain("depends on itself: 'first' → 'second' → 'first'.\n  At: ");
  });
});
