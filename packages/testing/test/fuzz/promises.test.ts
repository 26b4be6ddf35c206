import {
  type Application,
  content,
  createApp,
  HttpError,
  json,
  type Middleware,
  NotFoundError,
  PreconditionFailedError,
} from '@fairlead/core';
import { openapi, secured } from '@fairlead/openapi';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { FuzzError, type FuzzOptions, fuzz } from '../../src/fuzz.js';

const NewNote = z.object({ text: z.string().min(1).max(20), stars: z.int().min(0).max(5) });
const Note = NewNote.extend({ id: z.string(), revision: z.int(), changed: z.iso.datetime() });
const Path = z.object({ id: z.string() });
type Note = z.infer<typeof Note>;

/** Sends 304 to clients that have the current content. */
const honorTag: Middleware = async (ctx, next) => {
  await next();
  const tag = ctx.responseHeaders.get('ETag');
  if (tag !== undefined && ctx.get('If-None-Match') === tag) ctx.status = 304;
};

/** Refuses to change another state than that which the client knows. */
function requireMatch(ctx: { get(name: string): string | undefined }, tag: string): void {
  const match = ctx.get('If-Match');
  if (match !== undefined && match !== tag) throw new PreconditionFailedError('Read it again.');
}

/** What a planted fault changes. */
interface Plant {
  /** Changes what a handler returns. */
  readonly read?: (note: Note) => unknown;
  readonly add?: (note: z.infer<typeof NewNote>) => void;
  readonly change?: (note: Note, isKnown: boolean) => void;
  readonly remove?: (notes: Map<string, Note>, id: string) => void;
  readonly isKept?: (id: string) => boolean;
  /** Whether DELETE rejects what it does not find. */
  readonly isFound?: false;
  readonly letsIn?: (header: string | undefined) => boolean;
  readonly body?: typeof NewNote;
  readonly checksMatch?: boolean;
  readonly tags?: 'always sends the body';
  /** Replaces the tag of a note. */
  readonly tagOf?: (note: Note) => string;
  /** Replaces the tag that a change compares. */
  readonly comparedTag?: (note: Note, match: string | undefined) => string;
}

/** Notes, which keep all promises unless something is planted. */
function createNotes(plant: Plant = {}): Application {
  const notes = new Map<string, Note>();
  let next = 1;
  const find = (id: string): Note => {
    const note = notes.get(id);
    if (note === undefined) throw new NotFoundError(`There is no note ${id}.`);
    return note;
  };
  const letsIn = plant.letsIn ?? ((header) => header === 'Bearer a-good-token');
  const signedIn = secured(
    (ctx: { get(name: string): string | undefined }, n: () => unknown) => {
      if (!letsIn(ctx.get('Authorization'))) throw new HttpError(401, 'Sign in.');
      return n();
    },
    { name: 'bearer', scheme: { type: 'http', scheme: 'bearer' } },
  );
  const tagOf = plant.tagOf ?? (({ id, revision }: Note) => `"${id}-${revision}"`);
  const compared = plant.comparedTag ?? tagOf;
  const app = createApp({ onError: () => {} });
  if (plant.tags === undefined) app.use(honorTag);
  return app
    .get(
      '/notes',
      {
        query: z.object({ page: z.coerce.number().int().min(1).default(1) }),
        response: Note.array(),
      },
      () => [...notes.values()],
    )
    .post('/notes', { body: plant.body ?? NewNote, response: { 201: Note } }, (ctx) => {
      plant.add?.(ctx.body);
      const note = {
        ...ctx.body,
        id: String(next++),
        revision: 1,
        changed: new Date().toISOString(),
      };
      if (plant.isKept?.(note.id) ?? true) notes.set(note.id, note);
      ctx.set('Location', `/notes/${note.id}`);
      return note;
    })
    .get('/notes/:id', { params: Path, response: Note }, (ctx) => {
      const note = find(ctx.params.id);
      ctx.set('ETag', tagOf(note));
      return (plant.read?.(note) ?? note) as Note;
    })
    .put(
      '/notes/:id',
      { params: Path, body: NewNote, response: Note, errors: [412] },
      signedIn,
      (ctx) => {
        const note = find(ctx.params.id);
        if (plant.checksMatch !== false) requireMatch(ctx, compared(note, ctx.get('If-Match')));
        const isChanged = note.text !== ctx.body.text || note.stars !== ctx.body.stars;
        Object.assign(note, ctx.body, { changed: new Date().toISOString() });
        if (isChanged) note.revision += 1;
        plant.change?.(note, !isChanged);
        return note;
      },
    )
    .delete('/notes/:id', { params: Path, status: 204, errors: [412] }, signedIn, (ctx) => {
      const note = plant.isFound === undefined ? find(ctx.params.id) : undefined;
      if (plant.checksMatch !== false && note !== undefined) requireMatch(ctx, tagOf(note));
      (plant.remove ?? ((all, id) => all.delete(id)))(notes, ctx.params.id);
      ctx.status = 204;
    });
}

const OPTIONS: FuzzOptions = { seed: 7, headers: { Authorization: 'Bearer a-good-token' } };

const failuresOf = async (app: Application, options: FuzzOptions = {}) => {
  const error: unknown = await fuzz(app, { ...OPTIONS, ...options }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof FuzzError) return error.report.failures;
  throw error;
};

it('does not report a version in the body that every write increases', async () => {
  const change = (note: Note, isKnown: boolean) => {
    if (isKnown) note.revision += 1;
  };
  const options = { routes: ['PUT /notes/:id'], runs: 10 };
  const counted = createNotes({ change, tagOf: ({ revision }) => `W/"${revision}"` });
  expect((await fuzz(counted, { ...OPTIONS, ...options })).failures).toEqual([]);
  const rules = (await failuresOf(createNotes({ change }), options)).map(({ rule }) => rule);
  expect(rules).toEqual(['repeat']);
});

it('is quiet about an application that keeps its promises', async () => {
  const report = await fuzz(createNotes(), OPTIONS);
  expect(report.failures).toEqual([]);
  expect(report.routes.map(({ route, notes }) => [route, notes])).toEqual([
    ['GET /notes', []],
    ['POST /notes', []],
    ['GET /notes/:id', []],
    ['PUT /notes/:id', []],
    ['DELETE /notes/:id', []],
  ]);
});

describe('finds', () => {
  it.each<readonly [string, Plant, route: string, rule: string, message: RegExp]>([
    [
      'a valid request that fails',
      {
        add: ({ stars, text }) => {
          if (stars > 3 && text.length > 2) throw new RangeError('no such star');
        },
      },
      'POST /notes',
      'server-error',
      /^The response is 500: RangeError: no such star, at .*promises\.test\.ts/,
    ],
    [
      'a body that does not fit its schema',
      { read: (note) => ({ ...note, stars: 'many' }) },
      'GET /notes/:id',
      'response',
      /^The response does not fit its schema: InternalServerError: .*stars/,
    ],
    [
      'access for everyone',
      { letsIn: () => true },
      'PUT /notes/:id',
      'access',
      /^The route needs credentials, but a request without credentials gets 200\.$/,
    ],
    [
      'access with any credentials',
      { letsIn: (header) => header !== undefined },
      'DELETE /notes/:id',
      'access',
      /^The route needs credentials, but a request with an invalid Authorization gets 204\.$/,
    ],
    [
      'a PUT that adds',
      {
        change: (note) => {
          note.revision += 1;
        },
        checksMatch: false,
      },
      'PUT /notes/:id',
      'repeat',
      /^The same PUT request changes more when it is repeated\.\nBefore, GET \/notes\/\d+ gets .*"revision":2,.*, and afterwards .*"revision":3,.*\.$/,
    ],
    [
      'a DELETE that deletes another one',
      {
        checksMatch: false,
        isFound: false,
        remove: (notes, id) => {
          if (!notes.delete(id)) notes.delete([...notes.keys()][0] ?? '');
        },
      },
      'DELETE /notes/:id',
      'repeat',
      /^The same DELETE request changes more when it is repeated/,
    ],
    [
      'an If-None-Match without effect',
      { tags: 'always sends the body' },
      'GET /notes/:id',
      'etag',
      /^The response has the ETag "\d+-1", but a request with it as If-None-Match gets 200, not 304\.$/,
    ],
    [
      'an If-Match without effect',
      { checksMatch: false },
      'PUT /notes/:id',
      'etag',
      /^GET \/notes\/:id sends an ETag, but a request whose If-Match is another one changes/,
    ],
    [
      'an ETag that never changes',
      { tagOf: () => '"1"' },
      'PUT /notes/:id',
      'etag',
      /^The ETag "1" stays the same after a PUT that changes the content\.$/,
    ],
    [
      'a weak ETag that never changes',
      { tagOf: () => 'W/"1"' },
      'PUT /notes/:id',
      'etag',
      /^The ETag W\/"1" stays the same after a PUT that changes the content\.$/,
    ],
    [
      'an ETag that always changes',
      { tagOf: () => `"${Math.random()}"` },
      'GET /notes/:id',
      'etag',
      /^The same content has the ETag "[\d.e-]+", and then "[\d.e-]+", so no client ever gets 304\.$/,
    ],
    [
      'an If-Match that may be any earlier one',
      { comparedTag: ({ id }, match) => (match?.startsWith(`"${id}-`) ? match : '"none"') },
      'PUT /notes/:id',
      'etag',
      /^A request whose If-Match is the ETag from before a change, "\d+-\d+", changes the resource: it gets 200, not 412\./,
    ],
    [
      'a resource that is lost',
      { isKept: (id) => Number(id) % 3 !== 0 },
      'GET /notes/:id',
      'lost',
      /^What was created cannot be read: GET gets 404\.$/,
    ],
    [
      'a resource that stays',
      { remove: () => {} },
      'GET /notes/:id',
      'not-deleted',
      /^What was deleted with 204 can still be read: GET gets 200\.$/,
    ],
  ])('%s', async (_, plant, route, rule, message) => {
    const failures = await failuresOf(createNotes(plant), { routes: [route], runs: 10 });
    expect(failures).toContainEqual(
      expect.objectContaining({ route, rule, message: expect.stringMatching(message) }),
    );
  });
});

it('accepts a media type of a described range', async () => {
  const app = createApp().get('/', { response: content({ 'application/*+json': {} }) }, (ctx) => {
    ctx.set('Content-Type', 'application/hal+json');
    return { id: 1 };
  });
  expect((await fuzz(app, OPTIONS)).failures).toEqual([]);
});

describe('finds in a single route', () => {
  const documented = [{ source: 'body', schema: NewNote, required: true }] as const;
  it.each<
    readonly [string, () => Application | Promise<Application>, rule: string, message: RegExp]
  >([
    [
      'a status that it does not describe',
      () =>
        createApp().get(
          '/',
          () => new Response(null, { status: 301, headers: { Location: '/a' } }),
        ),
      'response',
      /^The route does not describe the status 301, but 200\.$/,
    ],
    [
      'another media type',
      () =>
        createApp().get('/', { response: z.object({}) }, () => {
          return new Response('<p>', { headers: { 'Content-Type': 'text/html' } });
        }),
      'response',
      /^The Content-Type of the 200 is 'text\/html', but the route describes application\/json\.$/,
    ],
    [
      'a body of its own that does not fit',
      () =>
        createApp({ onError: () => {} }).get('/', { response: z.object({ a: z.int() }) }, () => {
          return Response.json({ a: 'x' });
        }),
      'response',
      /^The body of the 200 does not fit its schema: 'a' is "x", which does not fit \{"type":"integer"/,
    ],
    [
      'a body that is not JSON',
      () =>
        createApp().get('/', { response: z.object({}) }, () => {
          return new Response('{', { headers: { 'Content-Type': 'application/json' } });
        }),
      'response',
      /^The body of the 200 is not JSON\.$/,
    ],
    [
      'a header that is missing',
      () => {
        const response = content(z.object({}), { headers: { 'X-Total': { required: true } } });
        return createApp().get('/', { response }, () => ({}));
      },
      'response',
      /^The 200 lacks the header X-Total, which the route requires\.$/,
    ],
    [
      'an error that it does not describe as it is',
      async () => {
        const errorSchema = { type: 'object', required: ['reason'] };
        const app = createApp({ format: () => ({ message: 'no' }), onError: () => {} });
        await app.plugin(
          openapi({ info: { title: 'Test', version: '1' }, errorSchema, docs: false }),
        );
        return app.get('/:id', () => {
          throw new NotFoundError('There is none.');
        });
      },
      'response',
      /^The body of the 404 does not fit its schema: 'reason' is missing\.$/,
    ],
    [
      'an invalid request that is accepted',
      () =>
        createApp()
          .use(json())
          .post('/', { inputs: documented }, () => ({})),
      'invalid-request',
      /^An invalid request is accepted with 200: the body /,
    ],
    [
      'an invalid query that is accepted',
      () => {
        const schema = z.int().min(1).max(9);
        const inputs = [{ source: 'query', name: 'page', schema, required: false }] as const;
        return createApp().get('/', { inputs }, () => ({}));
      },
      'invalid-request',
      /^An invalid request is accepted with 200: the parameter of the query 'page' /,
    ],
    [
      'an invalid request that gets another status',
      () =>
        createApp()
          .use(json())
          .post('/', { inputs: documented }, ({ body }) => {
            if (!NewNote.safeParse(body).success) throw new HttpError(409, 'There is a conflict.');
            return {};
          }),
      'invalid-request',
      /^An invalid request gets 409, not 400: the body /,
    ],
    [
      'a request without a response',
      () => createApp().get('/', () => new Promise(() => {})),
      'no-response',
      /^There was no response: Error: There was no response within 50 ms\./,
    ],
  ])('%s', async (_, create, rule, message) => {
    const timeout = rule === 'no-response' ? 50 : 60_000;
    const failures = await failuresOf(await create(), { timeout, runs: 5 });
    expect(failures).toEqual([
      expect.objectContaining({ rule, message: expect.stringMatching(message) }),
    ]);
  });
});

it('errors of requests that create what other routes need are those of the routes that fail', async () => {
  const notes = new Set<string>();
  const Text = z.object({ text: z.string().min(1).max(20) });
  let calls = 0;
  const app = createApp({ onError: () => undefined })
    .use(json())
    .post('/notes', { body: Text, status: 201 }, () => {
      calls += 1;
      // Only after the requests of the route itself.
      if (calls > 60 && calls % 7 === 0) throw new Error('planted');
      const id = String(calls);
      notes.add(id);
      return { id };
    })
    .get('/notes/:id', { params: Path }, ({ params }) => {
      if (!notes.has(params.id)) throw new NotFoundError('No note.');
      return { id: params.id };
    });
  await app.plugin(openapi({ info: { title: 'Notes', version: '1' }, docs: false }));
  const error: unknown = await fuzz(app, { seed: 1, routes: ['GET /notes/:id'], runs: 60 }).catch(
    (cause: unknown) => cause,
  );
  const { failures } = error instanceof FuzzError ? error.report : { failures: [] };
  expect(failures.map(({ rule, route }) => [rule, route])).toEqual([
    ['server-error', 'POST /notes'],
  ]);
});
