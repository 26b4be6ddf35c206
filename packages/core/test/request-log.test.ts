import { describe, expect, it } from 'vitest';
import {
  createApp,
  errorHandler,
  type Middleware,
  NotFoundError,
  requestId,
  requestLogger,
} from '../src/index.js';

describe('requestLogger()', () => {
  const times = () => [0, 12.34].values();

  it('logs the method, path, status and duration of downstream middleware', async () => {
    const lines: string[] = [];
    const clock = times();
    const logger = requestLogger({
      log: (line) => lines.push(line),
      now: () => clock.next().value ?? 0,
    });
    const app = createApp().use(logger, async (ctx) => {
      ctx.status = 201;
    });
    await app.request('/users?page=1', { method: 'POST' });
    expect(lines).toEqual(['POST /users 201 12.3 ms']);
  });

  it.each([
    [new NotFoundError('x'), 404],
    [new Error('x'), 500],
    [Object.assign(new Error('x'), { statusCode: 413, expose: true }), 413],
  ])('logs the status of an error that passes through', async (error, status) => {
    const lines: string[] = [];
    const app = createApp().use(errorHandler({ onError: () => undefined }));
    app.use(requestLogger({ log: (line) => lines.push(line) }), () => {
      throw error;
    });
    await app.request('/x');
    expect(lines).toEqual([expect.stringMatching(new RegExp(`^GET /x ${status} \\d`))]);
  });
});

describe('requestLogger() logs the status that the client receives', () => {
  it.each<[string, number, Middleware]>([
    ['nothing responded', 404, () => undefined],
    ['the raw response was taken over', 202, (ctx) => void ctx.takeOver().writeHead(202).end()],
  ])('when %s', async (_when, status, handler) => {
    const lines: string[] = [];
    const app = createApp().use(requestLogger({ log: (line) => lines.push(line) }), handler);
    expect((await app.request('/')).status).toBe(status);
    expect(lines).toEqual([expect.stringContaining(`GET / ${status} `)]);
  });
});

describe('requestId()', () => {
  const app = (options = {}) =>
    createApp().use(requestId(options), (ctx) => ctx.json(ctx.state.requestId));

  it('sets a unique id in state and header', async () => {
    const one = await app().request('/');
    const other = await app().request('/');
    expect(one.headers.get('X-Request-Id')).toBe(await one.json());
    expect(one.headers.get('X-Request-Id')).not.toBe(other.headers.get('X-Request-Id'));
  });

  it('ignores an id from the client by default', async () => {
    const response = await app().request('/', { headers: { 'X-Request-Id': 'mine' } });
    expect(await response.json()).not.toBe('mine');
  });

  it('keeps a well-formed id from a trusted proxy', async () => {
    const ask = (id: string) =>
      app({ trust: true }).request('/', { headers: { 'X-Request-Id': id } });
    expect(await (await ask('a-1.b_2')).json()).toBe('a-1.b_2');
    expect(await (await ask('a b')).json()).not.toBe('a b');
  });
});
