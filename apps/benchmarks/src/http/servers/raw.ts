import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { parse } from 'node:querystring';
import {
  AUTHORIZATION,
  countHop,
  HELLO,
  Items,
  Order,
  pageOfUsers,
  RESOURCES,
  Search,
  search,
} from '../fixtures.js';

type Listener = (req: IncomingMessage, res: ServerResponse) => void;

function send(res: ServerResponse, status: number, type: string, text: string): void {
  res.writeHead(status, ['Content-Type', type, 'Content-Length', `${Buffer.byteLength(text)}`]);
  res.end(text);
}

function sendJson(res: ServerResponse, value: unknown, status = 200): void {
  send(res, status, 'application/json; charset=utf-8', JSON.stringify(value));
}

export function refuse(res: ServerResponse, status: number): void {
  send(res, status, 'text/plain; charset=utf-8', String(status));
}

/** Reads a JSON body and passes it to `use`. */
export type ReadJson = (
  req: IncomingMessage,
  res: ServerResponse,
  use: (value: unknown) => void,
) => void;

const readJson: ReadJson = (req, res, use) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    const [first] = chunks;
    const body = chunks.length === 1 && first ? first : Buffer.concat(chunks);
    let value: unknown;
    try {
      value = JSON.parse(body.toString());
    } catch {
      return refuse(res, 400);
    }
    use(value);
  });
};

const resources = new Map(RESOURCES.map((name) => [name, (id: string): unknown => ({ id })]));
const items = new Items();

type Step = (state: object) => unknown;

const asyncSteps = Array<Step>(10).fill(async (state) => countHop(state));
const syncSteps = Array<Step>(10).fill((state) => countHop(state));

interface User {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

const users = new Map<string, User>();
const list: User[] = [];

/** Lists, shows and creates users in memory. */
const serveUsers: Listener = (req, res) => {
  const url = req.url ?? '';
  if (req.method === 'POST' && url === '/users') {
    readJson(req, res, (body) => {
      const { name, email } = body as { name?: unknown; email?: unknown };
      if (typeof name !== 'string' || typeof email !== 'string') {
        refuse(res, 400);
        return;
      }
      const createdAt = new Date().toISOString();
      const user = { id: randomUUID(), name, email, createdAt, updatedAt: createdAt };
      users.set(user.id, user);
      list.push(user);
      sendJson(res, { data: user }, 201);
    });
  } else if (req.method === 'GET' && url.startsWith('/users?')) {
    const query = parse(url.slice('/users?'.length));
    const page = Number(query.page) || 1;
    const limit = Number(query.limit) || 10;
    const data = list.slice((page - 1) * limit, page * limit);
    sendJson(res, { data, meta: { total: list.length, page, limit } });
  } else if (req.method === 'GET' && url.startsWith('/users/')) {
    const user = users.get(url.slice('/users/'.length));
    if (user === undefined) refuse(res, 404);
    else sendJson(res, { data: user });
  } else {
    refuse(res, 404);
  }
};

/** Creates the listener of each workload. */
const createListeners = (readJson: ReadJson): Readonly<Record<string, Listener>> => ({
  plaintext(req, res) {
    if (req.method !== 'GET' || req.url !== '/') return refuse(res, 404);
    send(res, 200, 'text/plain; charset=utf-8', HELLO);
  },
  json(req, res) {
    if (req.method !== 'GET' || req.url !== '/') return refuse(res, 404);
    sendJson(res, { message: HELLO });
  },
  param(req, res) {
    const url = req.url ?? '';
    const slash = url.indexOf('/', 1);
    const find = resources.get(url.slice(1, slash));
    if (req.method !== 'GET' || find === undefined) return refuse(res, 404);
    sendJson(res, find(url.slice(slash + 1)));
  },
  post(req, res) {
    if (req.method !== 'POST' || req.url !== '/orders') return refuse(res, 404);
    readJson(req, res, (value) => sendJson(res, value));
  },
  async 'async-10'(req, res) {
    if (req.method !== 'GET' || req.url !== '/') return refuse(res, 404);
    const state = { hops: 0 };
    for (const step of asyncSteps) await step(state);
    sendJson(res, state);
  },
  'sync-10'(req, res) {
    if (req.method !== 'GET' || req.url !== '/') return refuse(res, 404);
    const state = { hops: 0 };
    for (const step of syncSteps) step(state);
    sendJson(res, state);
  },
  page(req, res) {
    const url = req.url ?? '';
    if (req.method !== 'GET' || !url.startsWith('/users?')) return refuse(res, 404);
    const { page, limit } = parse(url.slice('/users?'.length)) as Record<string, string>;
    sendJson(res, pageOfUsers(page, limit));
  },
  'class-get'(req, res) {
    const url = req.url ?? '';
    if (req.method !== 'GET' || !url.startsWith('/items/')) return refuse(res, 404);
    if (req.headers.authorization !== AUTHORIZATION) return refuse(res, 403);
    sendJson(res, items.find(url.slice('/items/'.length)));
  },
  'class-post'(req, res) {
    if (req.method !== 'POST' || req.url !== '/items') return refuse(res, 404);
    if (req.headers.authorization !== AUTHORIZATION) return refuse(res, 403);
    readJson(req, res, (value) => sendJson(res, items.create(value as { name: string })));
  },
  'valid-get'(req, res) {
    const url = req.url ?? '';
    if (req.method !== 'GET' || !url.startsWith('/search?')) return refuse(res, 404);
    const query = Search.safeParse(parse(url.slice('/search?'.length)));
    if (!query.success) return refuse(res, 400);
    sendJson(res, search(query.data));
  },
  'valid-post'(req, res) {
    if (req.method !== 'POST' || req.url !== '/orders') return refuse(res, 404);
    readJson(req, res, (value) => {
      const order = Order.safeParse(value);
      if (order.success) sendJson(res, order.data);
      else refuse(res, 400);
    });
  },
  'users-list': serveUsers,
  'users-get': serveUsers,
  'users-create': serveUsers,
});

/** Creates the starter of each workload, with options for `http.createServer`. */
export function starters(
  options: object,
  read = readJson,
): Readonly<Record<string, () => unknown>> {
  return Object.fromEntries(
    Object.entries(createListeners(read)).map(([name, listener]) => [
      name,
      () => createServer({ keepAliveTimeout: 72_000, ...options }, listener).listen(0, '127.0.0.1'),
    ]),
  );
}

export const start = starters({});
