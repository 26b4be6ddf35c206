import { createRouter } from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import { describe, expect, it, vi } from 'vitest';
import * as own from '../src/index.js';
import { type ControllerValue, defineController, registerController } from '../src/index.js';
import { failStart } from './support/fail-start.js';
import { serve } from './support/serve.js';

/** A definition that the compiler rejects. */
const untyped = defineController as unknown as (...values: unknown[]) => ControllerValue;

type Get = (...values: unknown[]) => unknown;

describe('routes that cannot be a record are reported', () => {
  it.each([
    ['a promise', async () => ({}), 'an instance of Promise'],
    ['an array', ({ get }: { get: Get }) => [get('/', () => 1)], 'an array'],
    ['nothing', ({ get }: { get: Get }) => void get('/', () => 1), 'undefined'],
    ['a map', () => new Map(), 'an instance of Map'],
  ])('%s', async (_, routes, shown) => {
    const { message } = await failStart([untyped('/users', { routes })]);
    expect(message).toContain(
      `Cannot register the routes of users: routes cannot use ${shown} as result.`,
    );
    expect(message).toContain("Fix: return an object: ({ get }) => ({ list: get('/', …) }).");
    expect(message).toContain('At: test/odd-values.test.ts:');
  });
});

describe('a route', () => {
  it('of another controller is reported, because it has other instances', async () => {
    const found: unknown[] = [];
    defineController('/a', {
      routes: ({ get }) => {
        const list = get('/', () => 1);
        found.push(list, get);
        return { list };
      },
    });
    const [list, get] = found as [unknown, Get];
    const controller = untyped('/b', { routes: () => ({ list, later: get('/later', () => 2) }) });
    const { message } = await failStart([controller]);
    const fix = 'create it with get(), post() or another function that routes receives.';
    expect(message.split(`Fix: ${fix}`)).toHaveLength(3);
    expect(message).toContain('Cannot register the route b.list: routes cannot use');
    expect(message).toContain('Cannot register the route b.later: routes cannot use');
  });

  it('under two names collides with itself', async () => {
    const controller = defineController('/a', {
      routes: ({ get }) => {
        const list = get('/', () => 1);
        return { list, again: list };
      },
    });
    const { message } = await failStart([controller]);
    expect(message).toContain('a.again: GET /a matches the same paths as GET /a of a.list');
  });

  it('can have any name', async () => {
    const names = ['constructor', '__proto__', 'toString', 'a.b', '', '0', Symbol('symbol')];
    const controller = untyped('/', {
      routes: ({ get }: { get: Get }) =>
        Object.fromEntries(names.map((name, index) => [name, get(`/${index}`, () => index)])),
    });
    const { fetch, plugin } = await serve({ controllers: [controller] });
    const read = async (index: number) => (await fetch(`/${index}`)).json();
    expect(plugin.state.routeCount).toBe(names.length);
    expect(await Promise.all(names.keys().map(read))).toEqual([...names.keys()]);
  });
});

describe('instances', () => {
  it('can have any name', async () => {
    class Clock {
      static inject = [];
      readonly now = 7;
    }
    const names = ['constructor', '__proto__', 'then'];
    const controller = untyped('/', {
      inject: Object.fromEntries(names.map((name) => [name, Clock])),
      routes: ({ get }: { get: Get }) => ({
        read: get('/', (_ctx: unknown, instances: Record<string, Clock>) =>
          names.map((name) => instances[name]?.now),
        ),
      }),
    });
    const { fetch } = await serve({ controllers: [controller] });
    expect(await (await fetch('/')).json()).toEqual([7, 7, 7]);
  });
});

describe('a value', () => {
  const create = (copy: Pick<typeof own, 'defineController'> = own) =>
    copy.defineController('/a', { routes: ({ get }) => ({ read: get('/', () => 'a') }) });

  it('can be registered on two routers, and frozen', () => {
    const controller = Object.freeze(create());
    for (const router of [createRouter(), createRouter()]) {
      registerController(router, controller, { container: createContainer() });
      expect(router.routes.map(({ pattern }) => pattern)).toEqual(['/a']);
    }
  });

  it('can be from another copy of the package', async () => {
    vi.resetModules();
    const copy: typeof own = await import('../src/index.js');
    expect(copy.defineController).not.toBe(defineController);
    const { fetch } = await serve({ controllers: [create(copy)] });
    expect(await (await fetch('/a')).json()).toBe('a');
  });
});
