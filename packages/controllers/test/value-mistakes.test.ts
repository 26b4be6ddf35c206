import { describe, expect, it } from 'vitest';
import type { ControllerValue } from '../src/index.js';
import { failStart } from './support/fail-start.js';
import { locationIn } from './support/locations.js';
import { message } from './support/message.js';
import * as values from './support/mistaken-values.js';

type Case = readonly [string, ControllerValue, title: string, ...details: string[]];

const at = (call: string) => `At: ${locationIn(values.url, call)}`;

const CASES: readonly Case[] = [
  [
    'a prefix that is not text',
    values.text,
    'Cannot register the routes of root: defineController() cannot use 42 as prefix.',
    at('untyped(42'),
    "Fix: pass a string, such as '/users'.",
  ],
  [
    'an unknown option',
    values.unknownOption,
    "Cannot register the routes of unknown: defineController('/unknown') has no option 'gaurds'. Did you mean 'guards'?",
    at("untyped('/unknown'"),
  ],
  [
    'a guard that is undefined',
    values.guardless,
    "Cannot register the routes of guardless: defineController('/guardless') cannot use undefined as guards[0].",
    at("untyped('/guardless'"),
    'Fix: pass a function, a class or a token. If an import cycle is the cause, move the import to a separate file.',
  ],
  [
    'a controller without routes',
    values.empty,
    'empty has no routes.',
    at("defineController('/empty'"),
    "Fix: return a route from routes: ({ get }) => ({ list: get('/', …) }).",
  ],
  [
    'a controller without options',
    values.routeless,
    'routeless has no routes.',
    at("untyped('/routeless'"),
    "Fix: return a route from routes: ({ get }) => ({ list: get('/', …) }).",
  ],
  [
    'a function instead of a route',
    values.noRoute,
    'Cannot register the route not.list: routes cannot use the function list as list.',
    at("untyped('/not'"),
    'Fix: create it with get(), post() or another function that routes receives.',
  ],
  [
    'an unknown option of a route',
    values.routeOption,
    "Cannot register the route route.list: get('/option') has no option 'statsu'. Did you mean 'status'?",
    at("get('/option'"),
  ],
  [
    'a guard of a route that is an object',
    values.routeGuard,
    "Cannot register the route route.list: get('/guard') cannot use an instance of Date as guards[0].",
    at("get('/guard'"),
    'Fix: pass a function, a class or a token.',
  ],
  [
    'a route without a handler',
    values.noHandler,
    "Cannot register the route route.list: get('/handler') cannot use an object as handler.",
    at("get('/handler'"),
    'Fix: pass a function (ctx, instances) as the last argument.',
  ],
  [
    'an object as handler, and only that, if the route has metadata',
    values.noFunction,
    "Cannot register the route route.list: get('/object') cannot use an object as handler.",
    at("get('/object'"),
    'Fix: pass a function (ctx, instances) as the last argument.',
  ],
  [
    'a path that is not text',
    values.noPath,
    'Cannot register the route route.list: get() cannot use a function as path.',
    at('noText('),
    "Fix: pass a string, such as '/:id', or an array of strings.",
  ],
  [
    'a status without a schema',
    values.badStatus,
    'Cannot register the route status.list: its status is 201, but its response describes only 200.',
    at("get('/', { status: 201"),
    'Fix: add a schema for 201 to response, or change the status.',
  ],
  [
    'a redirect without a target',
    values.badRedirect,
    'Cannot register the route redirect.list: the URL of its redirect is empty.',
    at("get('/away'"),
    'Fix: pass the URL as a string.',
  ],
  [
    'a decorator of routes as metadata of the controller',
    values.headerOfAll,
    'Cannot register the routes of all: SetHeader() cannot be metadata of a controller.',
    at("untyped('/all'"),
    'Fix: move it to the metadata of the routes.',
  ],
  [
    'a decorator of parameters as metadata',
    values.parameter,
    'Cannot register the route parameter.list: Ctx() cannot be metadata of a route.',
    at("get('/ctx'"),
    'Fix: remove it, and read the value from ctx.',
  ],
  [
    'Controller() as metadata',
    values.controller,
    'Cannot register the routes of inner: Controller() cannot be metadata of a controller.',
    at("untyped('/inner'"),
    'Fix: remove it.',
  ],
  [
    'metadata without parentheses',
    values.bare,
    'Cannot register the route bare.list: SetHeader is missing its parentheses.',
    at("get('/parentheses'"),
    "Fix: write SetHeader('Cache-Control', 'no-store').",
  ],
  [
    'a prefix that is not a pattern',
    values.badPrefix,
    "Cannot register the routes of :a:b: The pattern '/:a:b' is not valid: ':a:b' contains two parameters without text between them. Separate them, as in ':from-:to', or write '%3A' for a colon.",
    at("defineController('/:a:b'"),
    'Fix: correct the argument of defineController().',
  ],
  [
    'a token that nothing provides',
    values.unprovided,
    'Cannot resolve the controller unprovided: Nothing provides token(Db) (inject.db of unprovided).',
    at("defineController('/unprovided'"),
    'Path: unprovided → token(Db)',
    'Fix: register it first: container.register(token, { useValue: … }), or with useClass, useFactory or useExisting, or pass optional(token).',
  ],
  [
    'a singleton that would capture a request-scoped service',
    values.captured,
    'Cannot resolve the controller captured: The singleton captured would capture Visit, which lives for one request.',
    at("defineController('/captured'"),
    'Path: captured → Visit',
    "Fix: set the scope of captured to 'request' or 'transient'.",
  ],
  [
    'an undefined token, as in an import cycle',
    values.cyclic,
    'Cannot resolve the controller cyclic: Cannot inject inject.service of cyclic: `inject` received undefined. Two modules import each other, or the import is misspelled.',
    at("defineController('/cyclic'"),
    'Fix: for a class, pass `lazy(() => TheClass)`, or move one of the classes to break the import cycle.',
  ],
  [
    'metadata without its guard',
    values.unguarded,
    'Roles() has no effect on unguarded.list: the guard signedIn does not check the requests.',
    at("get('/roles'"),
    'Fix: add signedIn to the option guards, or to the guards of the controller or the route.',
  ],
];

describe('the startup rejects', () => {
  it.each(CASES.map(([name, ...rest]) => [name, rest] as const))(
    '%s',
    async (_, [controller, title, ...details]) => {
      expect((await failStart([controller])).message).toBe(message(title, ...details));
    },
  );

  it('a header that cannot be sent', async () => {
    const error = await failStart([values.badHeader]);
    expect(error.message).toContain('Cannot register the route header.list: SetHeader() cannot');
    expect(error.message).toContain(at("get('/sent'"));
  });

  it('metadata that throws, and shows the error as it is', async () => {
    const error = await failStart([values.throwing]);
    expect(error.message).toContain('because it threw Error: no @Roles() here.');
  });

  it('two routes for the same requests, and names both places', async () => {
    const error = await failStart([values.twice]);
    const first = at("get('/:a'").replace('At: ', '');
    expect(error.message).toContain(`of twice.first (${first})`);
    expect(error.message).toContain(at("get('/:b'"));
  });
});
