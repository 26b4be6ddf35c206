import { Service } from '@fairlead/di';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  applyDecorators,
  Controller,
  ControllerRegistry,
  Get,
  type GuardFn,
  HttpCode,
  SetHeader,
  UseGuard,
} from '../src/index.js';
import { serve } from './support/serve.js';

const admits =
  (key: string): GuardFn =>
  (ctx) =>
    ctx.get(key) !== undefined;
const Signed = () => applyDecorators(UseGuard(admits('x-key')), UseGuard(admits('x-role')));
const AdminController = (prefix: string) =>
  applyDecorators(Controller(prefix), Signed(), Service({ scope: 'request' }));
const Created = (path: string) =>
  applyDecorators(Get(path), HttpCode(201), SetHeader('X-Made', 'yes'));

@AdminController('/admin')
class UsersController {
  static count = 0;
  readonly number = ++UsersController.count;

  @Created('/made')
  make() {
    return this.number;
  }
}

@Controller('/open')
class OpenController {
  @Get()
  @Signed()
  read() {
    return 'read';
  }
}

describe('applyDecorators', () => {
  it('combines decorators of a class, and of a method', async () => {
    const { fetch } = await serve({ controllers: [UsersController] });
    expect((await fetch('/admin/made', { headers: { 'x-key': 'k' } })).status).toBe(403);
    const headers = { 'x-key': 'k', 'x-role': 'r' };
    const first = await fetch('/admin/made', { headers });
    expect(first.status).toBe(201);
    expect(first.headers.get('x-made')).toBe('yes');
    const second = await fetch('/admin/made', { headers });
    expect([await first.json(), await second.json()]).toEqual([1, 2]);
  });

  it('returns a decorator for both classes and methods if all of them are', async () => {
    const { fetch } = await serve({ controllers: [OpenController] });
    expect((await fetch('/open')).status).toBe(403);
    expect((await fetch('/open', { headers: { 'x-key': 'k', 'x-role': 'r' } })).status).toBe(200);
  });

  it('allows a decorator to replace its target', () => {
    class Replacement {}
    const replace = () => Replacement;
    const seen: unknown[] = [];
    const see = (target: unknown) => void seen.push(target);
    const decorate = applyDecorators(see, replace) as ClassDecorator;
    expect(Reflect.decorate([decorate], class {})).toBe(Replacement);
    expect(seen).toEqual([Replacement]);
  });

  it('keeps the order of decorators that are written below each other', () => {
    const group = fc.array(fc.boolean(), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(group, { maxLength: 4 }), (groups) => {
        const guards = groups.map((members) =>
          members.map(
            (verdict): GuardFn =>
              () =>
                verdict,
          ),
        );
        @Controller()
        @applyDecorators(
          ...guards.map((some) => applyDecorators(...some.map((guard) => UseGuard(guard)))),
        )
        class GroupedController {
          @Get()
          @applyDecorators(...guards.map((some) => UseGuard(...some)))
          read() {}
        }
        const [route] = new ControllerRegistry().register(GroupedController).routes;
        expect(route?.guards).toEqual([...guards.flat(), ...guards.flat()]);
      }),
    );
  });
});
