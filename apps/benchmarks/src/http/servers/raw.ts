import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { parse } from 'node:querystring';
import { AUTHORIZATION, countHop, HELLO, Items, pageOfUsers, RESOURCES } from '../fixtures.js';
import { answer, answerJson, readJson, refuse } from './raw-answer.js';
import { listenForUsers } from './raw-users.js';

type Listener = (req: IncomingMessage, res: ServerResponse) => void;

const resources = new Map(RESOURCES.map((name) => [name, (id: string): unknown => ({ id })]));
const items = new Items();

type Step = (state: object) => unknown;

const asyncSteps = Array<Step>(10).fill(async (state) => countHop(state));
const syncSteps = Array<Step>(10).fill((state) => countHop(state));

/** The listener of each workload. */
export const LISTENERS: Readonly<Record<string, Listener>> = {
  plaintext(req, res) {
    if (req.method !== 'GET' || req.url !== '/') return refuse(res, 404);
    answer(res, 200, 'text/plain; charset=utf-8', HELLO);
  },
  json(req, res) {
    if (req.method !== 'GET' || req.url !== '/') return refuse(res, 404);
    answerJson(res, { message: HELLO });
  },
  param(req, res) {
    const url = req.url ?? '';
    const slash = url.indexOf('/', 1);
    const find = resources.get(url.slice(1, slash));
    if (req.method !== 'GET' || find === undefined) return refuse(res, 404);
    answerJson(res, find(url.slice(slash + 1)));
  },
  post(req, res) {
    if (req.method !== 'POST' || req.url !== '/orders') return refuse(res, 404);
    readJson(req, res, (value) => answerJson(res, value));
  },
  async 'async-10'(req, res) {
    if (req.method !== 'GET' || req.url !== '/') return refuse(res, 404);
    const state = { hops: 0 };
    for (const step of asyncSteps) await step(state);
    answerJson(res, state);
  },
  'sync-10'(req, res) {
    if (req.method !== 'GET' || req.url !== '/') return refuse(res, 404);
    const state = { hops: 0 };
    for (const step of syncSteps) step(state);
    answerJson(res, state);
  },
  page(req, res) {
    const url = req.url ?? '';
    if (req.method !== 'GET' || !url.startsWith('/users?')) return refuse(res, 404);
    const { page, limit } = parse(url.slice('/users?'.length)) as Record<string, string>;
    answerJson(res, pageOfUsers(page, limit));
  },
  'class-get'(req, res) {
    const url = req.url ?? '';
    if (req.method !== 'GET' || !url.startsWith('/items/')) return refuse(res, 404);
    if (req.headers.authorization !== AUTHORIZATION) return refuse(res, 403);
    answerJson(res, items.find(url.slice('/items/'.length)));
  },
  'class-post'(req, res) {
    if (req.method !== 'POST' || req.url !== '/items') return refuse(res, 404);
    if (req.headers.authorization !== AUTHORIZATION) return refuse(res, 403);
    readJson(req, res, (value) => answerJson(res, items.create(value as { name: string })));
  },
  'users-list': listenForUsers,
  'users-get': listenForUsers,
  'users-create': listenForUsers,
};

/** Starts each workload with options of `http.createServer`. */
export function starters(options: object): Readonly<Record<string, () => unknown>> {
  return Object.fromEntries(
    Object.entries(LISTENERS).map(([name, listener]) => [
      name,
      () => createServer(options, listener).listen(0, '127.0.0.1'),
    ]),
  );
}

export const start = starters({});
