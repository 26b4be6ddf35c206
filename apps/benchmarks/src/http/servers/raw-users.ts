import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse } from 'node:querystring';
import { answerJson, readJson, refuse } from './raw-answer.js';

interface User {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

const users = new Map<string, User>();
const list: User[] = [];

/** Lists, shows and creates users in memory, as users-api does. */
export function listenForUsers(req: IncomingMessage, res: ServerResponse): void {
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
      answerJson(res, { data: user }, 201);
    });
  } else if (req.method === 'GET' && url.startsWith('/users?')) {
    const query = parse(url.slice('/users?'.length));
    const page = Number(query.page) || 1;
    const limit = Number(query.limit) || 10;
    const data = list.slice((page - 1) * limit, page * limit);
    answerJson(res, { data, meta: { total: list.length, page, limit } });
  } else if (req.method === 'GET' && url.startsWith('/users/')) {
    const user = users.get(url.slice('/users/'.length));
    if (user === undefined) refuse(res, 404);
    else answerJson(res, { data: user });
  } else {
    refuse(res, 404);
  }
}
