import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import { type Context, type Middleware, NotFoundError } from '@fairlead/core';
import { describe, expect, it } from 'vitest';
import { type ConnectMiddleware, connect } from '../src/index.js';
import { serve } from './support/serve.js';

const require = createRequire(import.meta.url);

/** A library whose lockfile pins on-headers 1.0.2, which reads headers as an object or as pairs. */
function load(name: string): (options: object, others?: object) => ConnectMiddleware {
  expect(createRequire(require.resolve(name))('on-headers/package.json').version).toBe('1.0.2');
  return require(name);
}

const compression = load('old-compression');
const cookieSession = load('old-cookie-session');
const expressSession = load('old-express-session');
const responseTime = load('old-response-time');
const morgan: (format: string, options: object) => ConnectMiddleware = require('old-morgan');

const SESSION = { resave: false, saveUninitialized: true, secret: 'x'.repeat(32) };

/** Libraries that add a header to each response. */
const DECORATING: readonly [string, () => ConnectMiddleware, string][] = [
  ['cookie-session 2.1.0', () => cookieSession({ keys: ['a'] }), 'set-cookie'],
  ['express-session 1.18.1', () => expressSession(SESSION), 'set-cookie'],
  ['response-time 2.3.3', () => responseTime({}), 'x-response-time'],
];

const LIBRARIES: readonly [string, () => ConnectMiddleware, string][] = [
  ...DECORATING,
  ['compression 1.7', () => compression({ threshold: 0 }), 'content-encoding'],
  ['morgan 1.10.0', () => morgan(':status :response-time', { stream: { write() {} } }), 'none'],
];

/** Changes the session, so that a library that stores one sends its cookie. */
const visit: Middleware = (ctx, next) => {
  const { session }: { session?: Record<string, unknown> } = Object(ctx.req);
  if (session !== undefined) session.visited = true;
  return next();
};

/** Responds in a way that the path names. */
function respond(ctx: Context): void {
  ctx.set('X-Custom', 'a');
  ctx.append('Vary', ['Origin', 'Accept']);
  if (ctx.path === '/json') ctx.json({ name: 'Zoë' });
  if (ctx.path === '/empty') ctx.status = 204;
  if (ctx.path === '/redirect') ctx.redirect('/json');
  if (ctx.path === '/stream') ctx.send(Readable.from(['a', 'b']));
  if (ctx.path === '/broken') throw new Error('Broken.');
  if (ctx.path === '/missing') throw new NotFoundError('Missing.');
}

/** Headers that depend on the time, and those that compression changes. */
const VARIABLE = ['date', 'content-length', 'transfer-encoding'];

/** Sends a request, and returns what a wrapper must not change, and the values of the header that it adds. */
async function send(url: string, method: string, path: string, added: string) {
  const response = await fetch(url + path, { method, redirect: 'manual' });
  const headers = new Map(response.headers);
  const addition = headers.get(added);
  headers.set('vary', String(headers.get('vary')).replace(', Accept-Encoding', ''));
  for (const name of [...VARIABLE, added]) headers.delete(name);
  return { kept: { status: response.status, body: await response.text(), headers }, addition };
}

const REQUESTS = ['/json', '/empty', '/redirect', '/stream', '/broken', '/missing'].flatMap(
  (path) => ['GET', 'HEAD'].map((method): [string, string] => [method, path]),
);

describe.each(LIBRARIES)('%s', (_name, create, added) => {
  it.each(REQUESTS)('keeps the response to %s %s', async (method, path) => {
    const plain = await send(await serve(respond), method, path, added);
    const wrapped = await send(await serve(connect(create()), visit, respond), method, path, added);
    expect(wrapped.kept).toEqual(plain.kept);
  });
});

it.each(DECORATING)('%s adds its header to every response', async (_name, create, added) => {
  const url = await serve(connect(create()), visit, respond);
  const additions = REQUESTS.map(async ([method, path]) => send(url, method, path, added));
  for (const { addition } of await Promise.all(additions)) expect(addition).toBeDefined();
});
