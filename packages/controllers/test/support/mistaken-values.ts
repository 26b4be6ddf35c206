import { type Dependency, Service, token } from '@fairlead/di';
import { z } from 'zod';
import {
  Controller,
  type ControllerValue,
  Ctx,
  createRouteMetadata,
  defineController,
  Redirect,
  SetHeader,
} from '../../src/index.js';

/** Where the values are defined. */
export const { url } = import.meta;

const signedIn = () => true;
const Roles = createRouteMetadata<string>('Roles', { guard: signedIn });
const Db = token<object>('Db');

/** A definition that the compiler rejects. */
const untyped = defineController as unknown as (...values: unknown[]) => ControllerValue;

@Service({ scope: 'request' })
class Visit {}

const User = z.object({ name: z.string() });

export const text = untyped(42, { routes: ({ get }: Builders) => ({ a: get('/a', () => 1) }) });
export const unknownOption = untyped('/unknown', {
  gaurds: [],
  routes: ({ get }: Builders) => ({ a: get('/a', () => 1) }),
});
export const guardless = untyped('/guardless', {
  guards: [undefined],
  routes: ({ get }: Builders) => ({ a: get('/a', () => 1) }),
});
export const empty = defineController('/empty', { routes: () => ({}) });
export const routeless = untyped('/routeless');
export const noRoute = untyped('/not', { routes: () => ({ list: () => [] }) });
export const routeOption = untyped('/route', {
  routes: ({ get }: Builders) => ({ list: get('/option', { statsu: 201 }, () => 1) }),
});
export const routeGuard = untyped('/route', {
  routes: ({ get }: Builders) => ({ list: get('/guard', { guards: [new Date()] }, () => 1) }),
});
export const noHandler = untyped('/route', {
  routes: ({ get }: Builders) => ({ list: get('/handler', { status: 201 }) }),
});
export const noFunction = untyped('/route', {
  routes: ({ get }: Builders) => ({
    list: get('/object', { metadata: [SetHeader('A', 'b')] }, { list: () => 1 }),
  }),
});
export const noPath = untyped('/route', {
  routes: ({ get: noText }: Builders) => ({
    list: noText(
      () => 1,
      {},
      () => 2,
    ),
  }),
});
export const badStatus = defineController('/status', {
  routes: ({ get }) => ({
    list: get('/', { status: 201, response: { 200: User } }, () => undefined),
  }),
});
export const badRedirect = defineController('/redirect', {
  routes: ({ get }) => ({ list: get('/away', { metadata: [Redirect('')] }, () => undefined) }),
});
export const badHeader = defineController('/header', {
  routes: ({ get }) => ({ list: get('/sent', { metadata: [SetHeader('a b', '')] }, () => 1) }),
});
export const headerOfAll = untyped('/all', {
  metadata: [SetHeader('A', 'b')],
  routes: ({ get }: Builders) => ({ list: get('/', () => 1) }),
});
export const parameter = untyped('/parameter', {
  routes: ({ get }: Builders) => ({ list: get('/ctx', { metadata: [Ctx()] }, () => 1) }),
});
export const controller = untyped('/inner', {
  metadata: [Controller('/outer')],
  routes: ({ get }: Builders) => ({ list: get('/', () => 1) }),
});
export const bare = untyped('/bare', {
  routes: ({ get }: Builders) => ({
    list: get('/parentheses', { metadata: [SetHeader] }, () => 1),
  }),
});
export const throwing = defineController('/throwing', {
  metadata: [
    () => {
      throw new Error('no @Roles() here');
    },
  ],
  routes: ({ get }) => ({ list: get('/', () => 1) }),
});
export const badPrefix = defineController('/:a:b', {
  routes: ({ get }) => ({ a: get('/', () => 1) }),
});
export const twice = defineController('/twice', {
  routes: ({ get }) => ({ first: get('/:a', () => 1), second: get('/:b', () => 2) }),
});
export const unprovided = defineController('/unprovided', {
  inject: { db: Db },
  routes: ({ get }) => ({ list: get('/', (_ctx, { db }) => db) }),
});
export const captured = defineController('/captured', {
  inject: { visit: Visit },
  routes: ({ get }) => ({ list: get('/', (_ctx, { visit }) => visit) }),
});
export const cyclic = defineController('/cyclic', {
  inject: { service: undefined as unknown as Dependency },
  routes: ({ get }) => ({ list: get('/', () => 1) }),
});
export const unguarded = defineController('/unguarded', {
  routes: ({ get }) => ({ list: get('/roles', { metadata: [Roles('admin')] }, () => 1) }),
});

type Builders = Readonly<Record<'get', (...values: unknown[]) => unknown>>;
