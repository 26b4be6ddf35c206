import { createLogger } from '@fairlead/pino';
import { createTestApp, type TestApp } from '@fairlead/testing';
import { onTestFinished } from 'vitest';
import { createConduit } from '../../src/app.ts';
import { createAuth } from '../../src/auth.ts';
import type { Database } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open.ts';
import { createStore } from '../../src/store/store.ts';

export const SECRET = 'a secret of at least thirty-two bytes';

/** Opens a database, and closes it when the current test ends. */
export async function open(url: string): Promise<Database> {
  const database = await openDatabase(url, () => {});
  onTestFinished(() => database.close());
  return database;
}

/** Creates the application with an open database. */
export function createApp(database: Database): Promise<TestApp> {
  const logger = createLogger({ level: 'silent' });
  return createTestApp({ app: () => createConduit({ database, secret: SECRET, logger }) });
}

// biome-ignore lint/suspicious/noExplicitAny: tests read any member of a response
type Body = any;

/** Calls the API, as a user if there is a token. */
export class Client {
  readonly #app: TestApp;
  readonly #token: string | undefined;
  readonly username: string;

  constructor(app: TestApp, { username = '', token = undefined as string | undefined } = {}) {
    this.#app = app;
    this.#token = token;
    this.username = username;
  }

  /** Writes an article, and returns it. */
  async write(article: object = {}): Promise<Body> {
    const texts = { title: 'A title', description: 'A description', body: 'A body' };
    const { status, body } = await this.post('/articles', { article: { ...texts, ...article } });
    if (status !== 201) throw new Error(`There is no article: ${JSON.stringify(body)}`);
    return body.article;
  }

  /** Returns the titles of a list, newest first. */
  async titles(path: string): Promise<string[]> {
    const { body } = await this.get(path);
    return body.articles.map(({ title }: { title: string }) => title);
  }

  get = (path: string) => this.#call('GET', path);
  delete = (path: string) => this.#call('DELETE', path);
  post = (path: string, json?: object) => this.#call('POST', path, json);
  put = (path: string, json?: object) => this.#call('PUT', path, json);

  async #call(
    method: string,
    path: string,
    json?: object,
  ): Promise<{ status: number; body: Body }> {
    const headers = this.#token === undefined ? {} : { Authorization: `Token ${this.#token}` };
    const init = { method, headers, ...(json && { json }) };
    const response = await this.#app.request(`/api${path}`, init);
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  }
}

/** Adds a user with a unique name, without the time that a real hash takes. */
export async function addUser(app: TestApp, database: Database): Promise<Client> {
  const store = createStore(database);
  const username = `user-${crypto.randomUUID().slice(0, 8)}`;
  const email = `${username}@example.com`;
  const user = await store.addUser({ username, email, passwordHash: 'none' });
  return new Client(app, { username, token: await createAuth(store, SECRET).sign(user) });
}
