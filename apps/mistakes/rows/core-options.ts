import {
  content,
  createApp,
  createRouter,
  errorHandler,
  json,
  type Middleware,
  notFoundHandler,
  text,
  urlencoded,
} from '@fairlead/core';
import { z } from 'zod';
import { area, post } from '../src/mistake.js';

const mistake = area('Options of the core');

const User = z.object({ name: z.string() });

const using = (middleware: Middleware) =>
  createApp()
    .use(middleware)
    .get('/', () => 1);
const ending = (middleware: Middleware) =>
  createApp()
    .get('/', () => 1)
    .use(middleware);

mistake('`json({ limti })`', { compiler: "'limti'", startup: "Did you mean 'limit'?" }, () =>
  using(json({ limti: '1mb' })),
);

mistake('`json(options)` with `limti` in a variable', { startup: "Did you mean 'limit'?" }, () => {
  const options = { limti: '5mb', rawBody: true };
  return using(json(options));
});

mistake("`json('1mb')`", { compiler: 'TS2559', startup: 'must be an object' }, () =>
  using(json('1mb')),
);

mistake("`json({ limit: '1 megabyte' })`", { startup: 'limit' }, () =>
  using(json({ limit: '1 megabyte' })),
);

mistake(
  '`json({ strict })`, an option of Express',
  { compiler: "'strict'", startup: "has no option 'strict'" },
  () => using(json({ strict: false })),
);

mistake(
  "`json({ rawBody: 'true' })`",
  { compiler: "'string'", startup: "rawBody of json() must be true or false: got 'true'." },
  () => using(json({ rawBody: 'true' })),
);

mistake(
  '`urlencoded({ extended })`, an option of Express',
  { compiler: "'extended'", startup: "has no option 'extended'" },
  () => using(urlencoded({ extended: true })),
);

mistake("`urlencoded({ maxFields: '10' })`", { compiler: "'string'", startup: 'maxFields' }, () =>
  using(urlencoded({ maxFields: '10' })),
);

mistake(
  '`text({ type: /text/ })`, a RegExp for media types',
  { compiler: "'RegExp'", startup: 'media type' },
  () => using(text({ type: /text/ })),
);

mistake(
  '`errorHandler({ includeStacks })`',
  { compiler: "'includeStacks'", startup: "Did you mean 'includeStack'?" },
  () => using(errorHandler({ includeStacks: true })),
);

mistake(
  "`errorHandler({ includeStack: 'false' })`, from an environment variable",
  { compiler: "'string'", startup: 'includeStack of errorHandler() must be true or false' },
  () => using(errorHandler({ includeStack: 'false' })),
);

mistake(
  '`errorHandler({ onerror })`',
  { compiler: "'onerror'", startup: "Did you mean 'onError'?" },
  () => using(errorHandler({ onerror: console.error })),
);

mistake(
  '`errorHandler({ format })` with a name instead of a function',
  { compiler: "'string'", startup: 'must be a function' },
  () => using(errorHandler({ format: 'json' })),
);

mistake(
  '`errorHandler((error, ctx) => …)`, a function instead of options',
  { compiler: 'no properties in common', startup: 'must be an object' },
  () => using(errorHandler((error: unknown) => console.error(error))),
);

mistake(
  '`notFoundHandler({ message })`',
  { compiler: "'message'", startup: "has no option 'message'" },
  () => ending(notFoundHandler({ message: 'Nothing here' })),
);

mistake(
  '`notFoundHandler((ctx) => …)`, a function instead of options',
  { compiler: 'no properties in common', startup: 'must be an object' },
  () => ending(notFoundHandler(() => 'Nothing here')),
);

mistake(
  '`createApp({ logger })`, an option of Fastify',
  { compiler: "'logger'", startup: "has no option 'logger'" },
  () => createApp({ logger: true }).get('/', () => 1),
);

mistake(
  '`createApp({ trustProxy })`, an option of Fastify',
  { compiler: "'trustProxy'", startup: "has no option 'trustProxy'" },
  () => createApp({ trustProxy: true }).get('/', () => 1),
);

mistake('`createApp({ validationStatus: 404 })`', { compiler: '404', startup: '400 or 422' }, () =>
  createApp({ validationStatus: 404 }).get('/', () => 1),
);

mistake(
  '`createApp({ compileResponse })` with a name',
  { compiler: 'TS2322', startup: 'must be a function' },
  () => createApp({ compileResponse: 'fast-json-stringify' }).get('/', () => 1),
);

mistake(
  "`createApp({ responses: 'strip' })`",
  { compiler: 'TS2322', startup: "must be 'remove' or 'trust'" },
  () => createApp({ responses: 'strip' }).get('/', () => 1),
);

mistake(
  '`createApp({ checkResponses })` with the name of an environment',
  { compiler: 'TS2322', startup: 'must be true or false' },
  () => createApp({ checkResponses: 'development' }).get('/', () => 1),
);

mistake(
  '`app.post(pattern, { boby })`, a misspelled schema',
  { compiler: "'boby' does not exist in type 'RouteOptions'", startup: "Did you mean 'body'?" },
  () => createApp().post('/', { boby: {} }, () => 1),
);

mistake(
  '`app.post(pattern, { body })` of a JSON Schema',
  { compiler: "in type 'StandardSchema<unknown, unknown>'", startup: 'Standard Schema' },
  () => createApp().post('/', { body: { type: 'object' } }, () => 1),
);

mistake('`createApp({ proxy: true })`', { compiler: 'TS2322', startup: 'proxy' }, () =>
  createApp({ proxy: true }).get('/', () => 1),
);

mistake(
  '`createApp({ notfound })`',
  { compiler: "'notfound'", startup: "Did you mean 'notFound'?" },
  () => createApp({ notfound: () => 'Nothing here' }).get('/', () => 1),
);

mistake(
  "`createApp({ caseSensitive: 'false' })`",
  { compiler: "'string'", startup: 'must be true or false' },
  () => createApp({ caseSensitive: 'false' }).get('/', () => 1),
);

mistake(
  '`createRouter({ prefix })`, an option of @koa/router',
  { compiler: "'prefix'", startup: "has no option 'prefix'" },
  () =>
    createApp().route(
      '/',
      createRouter({ prefix: '/users' }).get('/', () => 1),
    ),
  '/users',
);

mistake(
  "`createRouter('/users')`, a prefix instead of options",
  { compiler: 'TS2559', startup: 'must be an object' },
  () =>
    createApp().route(
      '/',
      createRouter('/users').get('/', () => 1),
    ),
  '/users',
);

mistake(
  '`createRouter({ mergeParams })`, an option of Express',
  { compiler: "'mergeParams'", startup: "has no option 'mergeParams'" },
  () =>
    createApp().route(
      '/',
      createRouter({ mergeParams: true }).get('/', () => 1),
    ),
);

mistake(
  '`createRouter({ caseSensitve })`',
  { compiler: "'caseSensitve'", startup: "Did you mean 'caseSensitive'?" },
  () =>
    createApp().route(
      '/',
      createRouter({ caseSensitve: false }).get('/users', () => 1),
    ),
  '/USERS',
);

mistake(
  'an option of the application in the wrong call: `listen(app, 0, { proxy })` for `createApp`',
  { compiler: "'proxy'", startup: "has no option 'proxy'" },
  async () => {
    const { listen } = await import('@fairlead/core');
    return listen(
      createApp().get('/', () => 1),
      0,
      { proxy: 1 },
    );
  },
);

mistake(
  "`errors: { 404: 'USER_NOT_FOUND' }`, without an array",
  { compiler: "'number | readonly string[]'", startup: "Did you mean ['USER_NOT_FOUND']?" },
  () => createApp().get('/:id', { errors: { 404: 'USER_NOT_FOUND' } }, () => 1),
);

mistake(
  '`errors: { USER_NOT_FOUND: 404 }`, codes and statuses swapped',
  { startup: "Did you mean { 404: ['USER_NOT_FOUND'] }?" },
  () => createApp().get('/:id', { errors: { USER_NOT_FOUND: 404 } }, () => 1),
);

mistake("`errors: { 200: ['OK'] }`", { startup: 'Use an integer from 400 to 599' }, () =>
  createApp().get('/', { errors: { 200: ['OK'] } }, () => 1),
);

mistake(
  "`{ response: { 'text/csv': … } }` without `content()`",
  { compiler: "'text/csv'", startup: "content({ 'text/csv': … })" },
  () => createApp().get('/', { response: { 200: { 'text/csv': {} } } }, () => 'a,b'),
);

mistake(
  "`{ response: { '2xx': User } }`, a range of statuses",
  { compiler: "'2xx'", startup: "cannot use '2xx' as a status of response" },
  () => createApp().get('/', { response: { '2xx': User } }, () => ({ name: 'Ada' })),
);

mistake(
  '`content({ json: User })`',
  { compiler: 'TS2345', startup: "cannot use 'json' as a media type" },
  () => createApp().get('/', { response: content({ json: User }) }, () => ({ name: 'Ada' })),
);

mistake('`{ status: 200, response: { 201: … } }`', { startup: 'add a schema for 200' }, () =>
  createApp().get('/', { status: 200, response: { 201: { type: 'object' } } }, () => ({})),
);

mistake(
  'the body of a form, read by `json()`',
  { response: 'Send a supported media type' },
  () =>
    createApp()
      .use(json())
      .post('/', (ctx) => ctx.body),
  ['/', { method: 'POST', body: new URLSearchParams({ a: '1' }) }],
);

mistake(
  'no body parser',
  { request: 'Add app.use(json())' },
  () => createApp().post('/', (ctx) => ctx.body),
  post('/', { a: 1 }),
);
