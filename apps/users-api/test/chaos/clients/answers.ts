import type { User } from '../../../src/users/user.js';
import type { Outcome } from '../fleet/exchange.js';
import { Violation } from '../model/violation.js';

/** The outcome of a request that received a response. */
export type Answered = Extract<Outcome, { kind: 'answered' }>;

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const FIELDS = 'id,name,email,createdAt,updatedAt';

/** Returns the user in a single-user response. */
export function readUser({ status, body }: Answered, expected: number, text: string): User {
  if (status !== expected || !isObject(body) || !isUser(body.data)) wrong(text, status, body);
  return body.data;
}

/** Checks the body of a 404 response for a user. */
export function readMissing(body: unknown, id: string): void {
  if (isObject(body) && body.error === `User ${id} not found`) return;
  throw new Violation(`The response for missing user ${id} is ${JSON.stringify(body)}`);
}

/** Returns the users and the total in a response with the whole list. */
export function readList(outcome: Answered, text: string): { users: User[]; total: number } {
  const { status, body } = outcome;
  if (status !== 200 || !isObject(body) || !isUsers(body.data) || !Number.isInteger(body.total)) {
    wrong(text, status, body);
  }
  return { users: body.data, total: Number(body.total) };
}

/** Returns the users and the total in a response with one page. */
export function readPage(
  { status, body }: Answered,
  page: number,
  limit: number,
  text: string,
): { users: User[]; total: number } {
  if (status !== 200 || !isObject(body) || !isUsers(body.data) || !isObject(body.meta)) {
    wrong(text, status, body);
  }
  const { meta } = body;
  if (meta.page !== page || meta.limit !== limit || !Number.isInteger(meta.total)) {
    wrong(text, status, body);
  }
  return { users: body.data, total: Number(meta.total) };
}

function wrong(text: string, status: number, body: unknown): never {
  throw new Violation(`${text} received ${status} ${JSON.stringify(body)?.slice(0, 1_000)}`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isUsers(value: unknown): value is User[] {
  return Array.isArray(value) && value.every(isUser);
}

function isUser(value: unknown): value is User {
  if (!isObject(value) || Object.keys(value).join() !== FIELDS) return false;
  const { id, createdAt, updatedAt } = value;
  return UUID.test(String(id)) && isTime(createdAt) && isTime(updatedAt);
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && new Date(value).toISOString() === value;
}
