import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import {
  type Application,
  createApp,
  createRouter,
  errorHandler,
  json,
  type Middleware,
  notFoundHandler,
  raw,
  text,
  urlencoded,
} from '../../src/index.js';

/** An application that uses all features, and a record of its requests. */
export interface FuzzTarget {
  readonly app: Application;
  /** Requests that reached the application, by the client's port, in order. */
  readonly taken: Map<number, IncomingMessage[]>;
  /** Errors that no client received. */
  readonly hidden: unknown[];
}

/** Creates the application for hostile requests. */
export function createFuzzTarget(): FuzzTarget {
  const taken: FuzzTarget['taken'] = new Map();
  const hidden: unknown[] = [];
  const witness: Middleware = (ctx, next) => {
    const port = ctx.req.socket.remotePort ?? 0;
    const requests = taken.get(port) ?? [];
    taken.set(port, requests);
    requests.push(ctx.req);
    ctx.set('X-Number', requests.length);
    ctx.set('X-Method', ctx.method);
    ctx.set('X-Target', encodeURIComponent(ctx.req.url ?? ''));
    return next();
  };
  const app = createApp()
    .use(witness, errorHandler({ onError: (error) => hidden.push(error) }))
    .use(requestId, cookies, conditional)
    .use(repeatOrigin)
    .use(json({ limit: '10kb' }), urlencoded({ limit: '10kb', maxFields: 20 }))
    .use(text({ limit: '10kb' }), raw({ limit: '10kb' }))
    .route('/', createRoutes())
    .route('/Loose', createRouter({ caseSensitive: false }).all('/:a/Fixed', echo))
    .route('/strict', createRouter({ strict: true }).get('/a/', echo).get('/b', echo))
    .use(notFoundHandler());
  return { app, taken, hidden };
}

/** Repeats a header of the request in the response. */
const requestId: Middleware = (ctx, next) => {
  const id = ctx.get('X-Request-Id') ?? '';
  if (/^[\w.-]{1,128}$/.test(id)) ctx.set('X-Request-Id', id);
  return next();
};

/** Repeats the origin of the request in the response, and responds to preflights. */
const repeatOrigin: Middleware = (ctx, next) => {
  const origin = ctx.get('Origin') ?? '';
  if (origin.startsWith('http')) ctx.set('Access-Control-Allow-Origin', origin);
  const isPreflight = ctx.get('Access-Control-Request-Method') !== undefined;
  if (ctx.method !== 'OPTIONS' || !isPreflight) return next();
  const requested = ctx.get('Access-Control-Request-Headers');
  if (requested) ctx.set('Access-Control-Allow-Headers', requested);
  ctx.status = 204;
};

/** Responds with 304 to the tag of the response. */
const conditional: Middleware = async (ctx, next) => {
  await next();
  if (ctx.method !== 'GET' || ctx.status !== 200 || typeof ctx.responseBody !== 'string') return;
  const tag = `"${ctx.responseBody.length}"`;
  ctx.set('ETag', tag);
  if (ctx.get('If-None-Match')?.includes(tag)) ctx.status = 304;
};

function createRoutes() {
  const deep = createRouter()
    .get('/', echo)
    .get('/me', echo)
    .all('/:id', echo)
    .get('/:id/files/*path', echo)
    .post('/:id/:other/end', echo);
  const nested = createRouter().route('/users', deep).route('/teams/:team', deep);
  return createRouter()
    .use((_ctx, next) => next())
    .get('/', echo)
    .get('/plain', (ctx) => ctx.send('plain'))
    .get('/stream', (ctx) => ctx.send(Readable.from(['one', 'two', 'three'])))
    .get('/large', (ctx) => ctx.send(Buffer.alloc(200_000, 'x')))
    .delete('/none', (ctx) => {
      ctx.status = 204;
    })
    .get('/moved', (ctx) => ctx.redirect(`/plain?${ctx.searchParams}`))
    .get('/later', async (ctx) => {
      await new Promise((resolve) => setImmediate(resolve));
      echo(ctx, () => undefined);
    })
    .post('/unread/*', async (ctx) => {
      try {
        for await (const _chunk of ctx.bodyStream()) break;
      } catch {
        // The client disconnected within its body.
      }
      ctx.send('stopped reading');
    })
    .get('/files/*', echo)
    .route('/api', nested);
}

/** Responds with all readable parts of the request. */
const echo: Middleware = (ctx) => {
  const { method, path, params, query, pattern, state, body } = ctx;
  const shown = Buffer.isBuffer(body) ? body.toString('latin1') : body;
  ctx.json({ method, path, params, query, pattern, state, body: shown ?? null });
};

/** Sends the request's cookies back, each in a separate header line. */
const cookies: Middleware = (ctx, next) => {
  for (const pair of (ctx.get('Cookie') ?? '').split(';', 5).filter(Boolean)) {
    const [name = '', value = ''] = pair.trim().split('=', 2);
    ctx.append('Set-Cookie', `${encodeURIComponent(name)}=${encodeURIComponent(value)}; HttpOnly`);
  }
  return next();
};
