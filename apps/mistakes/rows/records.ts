import { createApp, createRouter, json } from '@fairlead/core';
import { z } from 'zod';
import { area, post } from '../src/mistake.js';

const mistake = area('Records of routes');

const Note = z.object({ text: z.string() });
const serve = (router: object) =>
  createApp()
    .use(json())
    .route('/', router as never);

mistake(
  '`router.define({ list: get(…) })` without a prefix',
  { compiler: 'arguments', startup: 'instead of a prefix' },
  () => serve(createRouter().define(({ get }) => ({ list: get('/', () => 1) }))),
);

mistake(
  '`router.define(prefix, { list })`, a record instead of a function',
  { compiler: "'list'", startup: 'cannot use an object as routes' },
  () => serve(createRouter().define('/notes', { list: () => 1 })),
  '/notes',
);

mistake(
  'the callback returns nothing: `{ get(…) }` without parentheses',
  { compiler: 'void', startup: 'undefined as the result of routes' },
  () =>
    serve(
      createRouter().define('/notes', ({ get }) => {
        get('/', () => 1);
      }),
    ),
  '/notes',
);

mistake(
  'the callback returns one route instead of a record',
  { compiler: /TS2345|TS2322/, startup: 'as the result of routes' },
  () => serve(createRouter().define('/notes', ({ get }) => get('/', () => 1))),
  '/notes',
);

mistake(
  'the callback returns a list of routes',
  { compiler: 'Index signature', startup: 'as the result of routes' },
  () => serve(createRouter().define('/notes', ({ get }) => [get('/', () => 1)])),
  '/notes',
);

mistake(
  'the callback is async',
  { compiler: 'Promise', startup: 'as the result of routes' },
  () => serve(createRouter().define('/notes', async ({ get }) => ({ list: get('/', () => 1) }))),
  '/notes',
);

mistake(
  '`{ list: () => [] }`, a handler without a method and a path',
  { compiler: /TS2322|TS2741/, startup: 'as list' },
  () => serve(createRouter().define('/notes', () => ({ list: () => [] }))),
  '/notes',
);

mistake(
  'a route of another `define()` in the record',
  { startup: 'as list' },
  () => {
    const router = createRouter();
    router.define('/notes', ({ get }) => {
      router.define('/drafts', () => ({ list: get('/', () => 1) }));
      return {};
    });
    return serve(router);
  },
  '/drafts',
);

mistake(
  '`get(handler)` without a path',
  { compiler: /TS2345|TS2769/, startup: 'instead of a pattern' },
  () => serve(createRouter().define('/notes', ({ get }) => ({ list: get(() => 1) }))),
  '/notes',
);

mistake(
  '`get(path, { reponse }, handler)`',
  { compiler: "Did you mean to write 'response'?", startup: "Did you mean 'response'?" },
  () =>
    serve(
      createRouter().define('/notes', ({ get }) => ({
        list: get('/', { reponse: Note }, () => ({ text: 'Hi' })),
      })),
    ),
  '/notes',
);

mistake(
  'the handler returns something else than `response`',
  { compiler: 'txt: "Hi"', never: 'What the schema does not describe is removed.' },
  () =>
    serve(
      createRouter().define('/notes', ({ get }) => ({
        list: get('/', { response: Note }, () => ({ txt: 'Hi' })),
      })),
    ),
  '/notes',
);

mistake(
  'the handler reads a parameter that the pattern lacks',
  { compiler: "'noteId'", never: 'The value is undefined.' },
  () =>
    serve(
      createRouter().define('/notes', ({ get }) => ({
        find: get('/:id', ({ params }) => ({ id: params.noteId })),
      })),
    ),
  '/notes/7',
);

mistake(
  'two routes of a record with the same path',
  { startup: 'matches the same paths' },
  () =>
    serve(
      createRouter().define('/notes', ({ get }) => ({
        list: get('/', () => 1),
        all: get('/', () => 2),
      })),
    ),
  '/notes',
);

mistake(
  'the same prefix and path in two calls of `define()`',
  { startup: '/notes' },
  () => {
    const router = createRouter();
    for (const value of [1, 2])
      router.define('/notes', ({ get }) => ({ list: get('/', () => value) }));
    return serve(router);
  },
  '/notes',
);

mistake('a prefix with a wildcard', { startup: '/*rest' }, () =>
  serve(createRouter().define('/*rest', ({ get }) => ({ list: get('/', () => 1) }))),
);

mistake(
  '`app.define()` instead of that of a router',
  { compiler: "'define'", startup: 'define is not a function' },
  () => createApp().define('/notes', ({ get }) => ({ list: get('/', () => 1) })),
  '/notes',
);

mistake(
  '`router.define()` after the first request',
  { startup: 'before' },
  async () => {
    const router = createRouter();
    const app = serve(router);
    await app.request('/');
    router.define('/notes', ({ get }) => ({ list: get('/', () => 1) }));
    return app;
  },
  '/notes',
);
