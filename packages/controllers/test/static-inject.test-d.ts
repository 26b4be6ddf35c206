import type { Context, Next, Router } from '@fairlead/core';
import { type Constructor, Service } from '@fairlead/di';
import { expectTypeOf, it } from 'vitest';
import {
  applyDecorators,
  buildRoutes,
  Controller,
  defineController,
  registerController,
  UseGuard,
  UseInterceptor,
  UseMiddleware,
} from '../src/index.js';

class Clock {
  now() {
    return 0;
  }
}
class Mailer {
  send(text: string) {
    return text;
  }
}
class Fitting {
  static inject = [Clock, Mailer] as const;
  constructor(
    readonly clock: Clock,
    readonly mailer: Mailer,
  ) {}
  canActivate() {
    return true;
  }
  use(_ctx: Context, next: Next) {
    return next();
  }
  intercept(_ctx: Context, next: () => unknown) {
    return next();
  }
}
class Swapped extends Fitting {
  constructor(mailer: Mailer, clock: Clock) {
    super(clock, mailer);
  }
}
declare const router: Router;
declare const controller: Constructor;

it('a class whose static inject lists what its constructor takes is accepted everywhere', () => {
  Controller('/')(Fitting);
  applyDecorators(Controller(), Service())(Fitting);
  expectTypeOf(Controller('/')).toExtend<ClassDecorator>();
  registerController(router, Fitting);
  registerController(router, controller);
  buildRoutes(Fitting);
  UseGuard(Fitting, (ctx) => ctx.path === '/', 'token');
  UseMiddleware(Fitting, (_ctx, next) => next());
  UseInterceptor(Fitting, (_ctx, next) => next());
  defineController('/', {
    inject: { fitting: Fitting },
    guards: [Fitting],
    middleware: [Fitting, (_ctx, next) => next()],
    routes: ({ get }) => ({
      read: get('/', { guards: [Fitting], middleware: [Fitting] }, (_ctx, { fitting }) =>
        fitting.clock.now(),
      ),
    }),
  });
});

it('a class whose static inject lists something else does not compile', () => {
  // @ts-expect-error the order differs
  Controller('/')(Swapped);
  // @ts-expect-error the order differs
  registerController(router, Swapped);
  // @ts-expect-error the order differs
  buildRoutes(Swapped);
  // @ts-expect-error the order differs
  UseGuard('token', Swapped);
  // @ts-expect-error the order differs
  UseMiddleware(Swapped);
  // @ts-expect-error the order differs
  UseInterceptor(Swapped);
  // @ts-expect-error the order differs
  defineController('/', { inject: { Swapped }, routes: () => ({}) });
  // @ts-expect-error the order differs
  defineController('/', { guards: [Swapped], routes: () => ({}) });
  // @ts-expect-error the order differs
  defineController('/', { middleware: [Swapped], routes: () => ({}) });
  defineController('/', {
    routes: ({ get, on }) => ({
      // @ts-expect-error the order differs
      guarded: get('/guarded', { guards: [Swapped] }, () => 1),
      // @ts-expect-error the order differs
      several: on(['PUT', 'PATCH'], '/several', { middleware: [Swapped] }, () => 1),
    }),
  });
});
