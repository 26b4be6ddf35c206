import { createApp, createRouter } from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import { expect, it } from 'vitest';
import { Controller, controllersPlugin, Get, HttpCode, registerController } from '../src/index.js';

const HERE = /\n {2}At: test\/callback-places\.test\.ts:\d+:\d+(?:\n|$)/;

function register(controller: new () => object): () => unknown {
  return () => registerController(createRouter(), controller, { container: createContainer() });
}

it('is that of a class in a named function that only a callback calls', async () => {
  const declare = function declare(): new () => object {
    @Controller('/users')
    class Users {
      @Get()
      @HttpCode(99)
      list(): void {}
    }
    return Users;
  };
  const controller = await new Promise<new () => object>((resolve) => {
    setImmediate(() => resolve(declare()));
  });
  expect(register(controller)).toThrow(HERE);
});

it('is that of the route decorator on an accessor', () => {
  const decorate = Get();
  const ofClass = Controller('/users');
  class Users {
    get list(): number {
      return 1;
    }
  }
  const descriptor = Object.getOwnPropertyDescriptor(Users.prototype, 'list');
  decorate(Users.prototype, 'list', descriptor ?? {});
  ofClass(Users);
  expect(register(Users)).toThrow(/callback-places\.test\.ts:29:\d+\n/);
});

it('is the call of the plugin for a root that is a file', async () => {
  const router = createRouter();
  const options = { router, container: createContainer(), root: import.meta.url, strict: true };
  const plugin = controllersPlugin(options);
  await expect(createApp().plugin(plugin)).rejects.toThrow(HERE);
});
