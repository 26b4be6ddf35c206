import { Readable } from 'node:stream';
import fastify, { type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify';
import { closeOnSignal, logger, observe, registry, SERVER_OPTIONS } from './observe.js';
import { openStore } from './open-store.js';
import {
  describeProblem,
  HttpProblem,
  PROBLEM_TYPE,
  preconditionFailed,
  routeNotFound,
  userNotFound,
} from './problem.js';
import { ONE_RESPONSE, objectOf, PAGE_RESPONSE } from './response-schemas.js';
import { BATCH } from './store.js';
import {
  etagOf,
  isFresh,
  isMatch,
  LIMITS,
  type NewUser,
  readPagination,
  renderUser,
  sliceOf,
  toStorable,
  type UserChanges,
  writeList,
} from './user.js';

const NAME = { type: 'string', maxLength: LIMITS.name };
const EMAIL = { type: 'string', maxLength: LIMITS.email };
const NEW_USER = objectOf({ name: { ...NAME, minLength: 1 }, email: { ...EMAIL, minLength: 1 } });
const USER_CHANGES = objectOf({ name: NAME, email: EMAIL }, []);

type ById = { Params: { id: string } };
type ByPage = { Querystring: { page?: unknown; limit?: unknown } };

const store = await openStore(
  process.env.DATABASE_URL ?? 'memory:',
  process.env.GROUP_COMMIT === 'on',
);
const app = fastify({
  ...SERVER_OPTIONS,
  // Lengths in UTF-16 code units are those of the other services, and cheaper than code points.
  ajv: { customOptions: { coerceTypes: false, removeAdditional: false, unicode: false } },
});
observe(app);
// Only JSON is read.
app.removeContentTypeParser('text/plain');

app.setErrorHandler<FastifyError | HttpProblem>((error, request, reply) => {
  sendProblem(request, reply, toProblem(error), error);
});
app.setNotFoundHandler((request, reply) => {
  sendProblem(request, reply, routeNotFound(request.url.split('?')[0] ?? ''));
});

app.get<ByPage>(
  '/api/users',
  { schema: { response: { 200: PAGE_RESPONSE } } },
  async ({ query }, reply) => {
    const pagination = readPagination(query);
    if (pagination === undefined) {
      const all = store.list({ offset: 0, limit: Number.MAX_SAFE_INTEGER });
      return sendStream(
        reply,
        writeList(all, (total) => ({ total })),
      );
    }
    const slice = sliceOf(pagination);
    const { users, total } = await store.page({ ...slice, limit: Math.min(slice.limit, BATCH) });
    const meta = { total, ...pagination };
    if (users.length >= Math.min(slice.limit, total - slice.offset)) return { data: users, meta };
    return sendStream(
      reply,
      writeList(store.list(slice), () => ({ meta })),
    );
  },
);

app.get<ById>(
  '/api/users/:id',
  { schema: { response: { 200: ONE_RESPONSE } } },
  async ({ params: { id }, headers }, reply) => {
    const user = await store.find(id);
    if (user === undefined) throw userNotFound(id);
    const isHtml = headers.accept?.toLowerCase().includes('text/html');
    const etag = etagOf(user, isHtml);
    reply.header('ETag', etag).header('Vary', 'Accept');
    if (isFresh(headers['if-none-match'], etag)) return reply.code(304).send();
    // A text is sent as it is, and not by the schema.
    if (isHtml) return reply.type('text/html; charset=utf-8').send(renderUser(user));
    return { data: user };
  },
);

app.post<{ Body: NewUser }>(
  '/api/users',
  { schema: { body: NEW_USER, response: { 201: ONE_RESPONSE } } },
  async ({ body: { name, email } }, reply) => {
    const user = await store.create({ name: toStorable(name), email: toStorable(email) });
    reply.code(201).header('Location', `/api/users/${user.id}`).header('ETag', etagOf(user));
    return { data: user };
  },
);

app.put<ById & { Body: UserChanges }>(
  '/api/users/:id',
  { schema: { body: USER_CHANGES, response: { 200: ONE_RESPONSE } } },
  async (request, reply) => {
    const { id } = request.params;
    const { name, email } = request.body;
    const changes = {
      name: name === undefined ? name : toStorable(name),
      email: email === undefined ? email : toStorable(email),
    };
    const expected = await findExpected(request);
    const user = await store.update(id, changes, expected);
    if (user === undefined) throw expected ? preconditionFailed() : userNotFound(id);
    reply.header('ETag', etagOf(user));
    return { data: user };
  },
);

app.delete<ById>('/api/users/:id', async (request, reply) => {
  const expected = await findExpected(request);
  if (!(await store.delete(request.params.id, expected))) {
    throw expected ? preconditionFailed() : userNotFound(request.params.id);
  }
  return reply.code(204).send();
});

app.get('/health/live', async (_request, reply) => {
  reply.header('Cache-Control', 'no-store');
  return { status: 'live' };
});

app.get('/health/ready', async (_request, reply) => {
  reply.header('Cache-Control', 'no-store');
  try {
    await store.check();
  } catch (error) {
    logger.error({ err: error }, 'the store is not responding');
    throw new HttpProblem(503, 'STORE_UNAVAILABLE', 'The store is not responding.');
  }
  return { status: 'ready' };
});

app.get('/metrics', async (_request, reply) => {
  const text = await registry.metrics();
  return reply.type(registry.contentType).header('Cache-Control', 'no-store').send(text);
});

app.addHook('onClose', () => store.close());
closeOnSignal(() => app.close());
await app.listen({ port: Number(process.env.PORT ?? 8080), host: process.env.HOST ?? '0.0.0.0' });

/** Returns the user that `If-Match` names, or `undefined` without that header. */
async function findExpected({ params: { id }, headers }: FastifyRequest<ById>) {
  const header = headers['if-match'];
  if (header === undefined) return undefined;
  const user = await store.find(id);
  if (user === undefined) throw userNotFound(id);
  if (!isMatch(header, etagOf(user))) throw preconditionFailed();
  return user;
}

function sendStream(reply: FastifyReply, chunks: AsyncIterable<string>): FastifyReply {
  reply.type('application/json; charset=utf-8');
  return reply.send(Readable.from(chunks, { objectMode: false, highWaterMark: 65_536 }));
}

function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  problem: HttpProblem,
  cause?: Error,
): void {
  if (problem.statusCode >= 500) {
    logger.error({ err: cause, requestId: request.id }, 'request failed');
  }
  // A text is sent as it is, and not by a schema.
  reply
    .code(problem.statusCode)
    .type(PROBLEM_TYPE)
    .send(JSON.stringify(describeProblem(problem, request.url)));
}

function toProblem(error: FastifyError | HttpProblem): HttpProblem {
  if (error instanceof HttpProblem) return error;
  const { statusCode = 500, code = 'INTERNAL', message, validation } = error;
  const issues = validation?.map(({ instancePath, params, message: text = '' }) => ({
    source: 'body',
    path: ['body', ...instancePath.split('/').slice(1), ...missing(params)],
    message: text,
  }));
  return new HttpProblem(statusCode, issues ? 'VALIDATION_FAILED' : code, message, issues);
}

const missing = ({ missingProperty }: { missingProperty?: unknown }) =>
  missingProperty === undefined ? [] : [String(missingProperty)];
