import 'reflect-metadata';
import {
  type Application,
  content,
  createApp,
  createRouter,
  json,
  schemaClass,
  text,
} from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { Body, Controller, defineController, Get, Post, registerController } from '../src/index.js';

class NewUser extends schemaClass(z.object({ name: z.string() })) {
  greet() {
    return `Hello ${this.name}`;
  }
}

const Name = z.string().transform((name) => ({ name: name.toUpperCase() }));
const user = content({ 'application/json': NewUser, 'text/plain': Name });
const table = content({ 'application/json': NewUser, 'text/csv': z.string() });

@Controller('/users')
class UsersController {
  @Get('/', { response: table })
  list() {
    return 'name\nAda\n';
  }

  @Get('/first', { response: { 200: table } })
  first() {
    return { name: 'Ada', secret: 1 };
  }

  @Post('/')
  add(@Body({ schema: user }) body: { name: string }) {
    return { name: body.name, isInstance: body instanceof NewUser };
  }

  @Post('/only')
  addOnly(@Body({ schema: content({ 'application/json': NewUser }) }) body: NewUser) {
    return body.greet();
  }
}

const values = defineController('/users', {
  routes: ({ get, post }) => ({
    list: get('/', { response: table }, () => 'name\nAda\n'),
    first: get('/first', { response: { 200: table } }, () => ({ name: 'Ada', secret: 1 })),
    add: post('/', { body: user }, ({ body }) => ({
      name: body.name,
      isInstance: body instanceof NewUser,
    })),
    addOnly: post('/only', { body: content({ 'application/json': NewUser }) }, ({ body }) =>
      body.greet(),
    ),
  }),
});

const functions = createRouter().define('/users', ({ get, post }) => ({
  list: get('/', { response: table }, () => 'name\nAda\n'),
  first: get('/first', { response: { 200: table } }, () => ({ name: 'Ada', secret: 1 })),
  add: post('/', { body: user }, ({ body }) => ({
    name: body.name,
    isInstance: body instanceof NewUser,
  })),
  addOnly: post('/only', { body: content({ 'application/json': NewUser }) }, ({ body }) =>
    body.greet(),
  ),
}));

const withController = (controller: typeof UsersController | typeof values) => {
  const router = createRouter();
  registerController(router, controller, { container: createContainer() });
  return createApp().use(json(), text()).route('/', router);
};

it.each<[string, Application]>([
  ['functions', createApp().use(json(), text()).route('/', functions)],
  ['a value', withController(values)],
  ['a class', withController(UsersController)],
])('%s can send and read several media types', async (_, app) => {
  const post = async (path: string, type: string, body: string) => {
    const headers = { 'Content-Type': type };
    const response = await app.request(path, { method: 'POST', headers, body });
    return { status: response.status, body: await response.json() };
  };
  const list = await app.request('/users');

  expect(list.headers.get('Content-Type')).toBe('text/csv; charset=utf-8');
  expect(await list.text()).toBe('name\nAda\n');
  expect(await (await app.request('/users/first')).json()).toEqual({ name: 'Ada' });
  expect(await post('/users', 'text/plain', 'ada')).toEqual({
    status: 200,
    body: { name: 'ADA', isInstance: false },
  });
  expect(await post('/users', 'application/json', '{"name":"ada"}')).toEqual({
    status: 200,
    body: { name: 'ada', isInstance: true },
  });
  expect(await post('/users', 'application/json', '{}')).toMatchObject({
    status: 400,
    body: { issues: [{ path: ['body', 'name'] }] },
  });
  expect(await post('/users/only', 'application/json', '{"name":"Ada"}')).toMatchObject({
    body: 'Hello Ada',
  });
  expect(await post('/users/only', 'text/plain', 'Ada')).toMatchObject({
    status: 415,
    body: { detail: 'The body has the type text/plain. Send it as application/json.' },
  });
});
