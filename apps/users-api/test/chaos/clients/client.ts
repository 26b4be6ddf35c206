import type { CreateUserInput, UpdateUserInput, User } from '../../../src/users/user.js';
import { exchange, type Outcome } from '../fleet/exchange.js';
import type { Service } from '../fleet/service.js';
import { type Span, tick } from '../model/span.js';
import type { UserModel } from '../model/user-model.js';
import { Violation } from '../model/violation.js';
import type { Random } from '../random.js';
import { type Answered, readList, readMissing, readPage, readUser } from './answers.js';
import type { Stage } from './stage.js';

const MOUNTS = ['/api/users', '/api/v1/users'] as const;

/** A request and its outcome. */
interface Sent {
  readonly outcome: Outcome;
  readonly span: Span;
  /** The client, the service and the request, as shown in a history. */
  readonly text: string;
}

/** Sends requests to either API of any service and checks every response against the model. */
export class Client {
  readonly random: Random;
  readonly #name: string;
  readonly #stage: Stage;
  #values = 0;

  /**
   * @param name - Its name in the histories and in every value that it writes.
   * @param stage - The services, the model and the counts of this run.
   * @param random - Decides every action of the client.
   */
  constructor(name: string, stage: Stage, random: Random) {
    this.#name = name;
    this.#stage = stage;
    this.random = random;
  }

  /** Returns a value that no client has written before. */
  value(): string {
    this.#values += 1;
    return `${this.#name}.${this.#values}`;
  }

  /** Returns a name and an email that no client has written before. */
  input(): CreateUserInput {
    return { name: this.value(), email: `${this.value()}@example.com` };
  }

  /** Creates a user. Returns `undefined` if no response confirms the creation. */
  async create(): Promise<UserModel | undefined> {
    const { world } = this.#stage;
    const creation = world.beginCreation(this.input());
    const { outcome, span, text } = await this.#send(creation.start, 'POST', '', creation.input);
    if (outcome.kind === 'answered') {
      const model = world.created(creation, readUser(outcome, 201, text), span);
      this.#note(model, span, text, outcome);
      this.#stage.tally.add('acknowledged');
      return model;
    }
    if (isUndone(outcome)) world.notCreated(creation);
    else creation.end = span.end;
    return undefined;
  }

  /** Reads one user. */
  async show(model: UserModel): Promise<void> {
    const { outcome, span, text } = await this.#send(tick(), 'GET', `/${model.id}`);
    this.#note(model, span, text, outcome);
    if (outcome.kind !== 'answered') return;
    if (isMissing(outcome, model)) model.seeAbsent(span);
    else model.see(readUser(outcome, 200, text), span);
  }

  /** Changes one user. */
  async update(model: UserModel, changes: UpdateUserInput): Promise<void> {
    const start = tick();
    const update = model.beginUpdate(changes, start);
    const { outcome, span, text } = await this.#send(start, 'PUT', `/${model.id}`, changes);
    this.#note(model, span, text, outcome);
    if (isUndone(outcome)) model.notUpdated(update, span.end);
    else if (outcome.kind !== 'answered') model.settled(update, span.end);
    else if (isMissing(outcome, model)) {
      model.notUpdated(update, span.end);
      model.seeAbsent(span);
    } else {
      model.updated(update, readUser(outcome, 200, text), span);
      this.#stage.tally.add('acknowledged');
    }
  }

  /** Deletes one user. */
  async delete(model: UserModel): Promise<void> {
    const start = tick();
    const deletion = model.presence.beginDeletion(start);
    const { outcome, span, text } = await this.#send(start, 'DELETE', `/${model.id}`);
    this.#note(model, span, text, outcome);
    if (isUndone(outcome)) model.notDeleted(deletion, 'not done', span);
    else if (outcome.kind !== 'answered') {
      deletion.outcome = 'unknown';
      deletion.end = span.end;
    } else if (isMissing(outcome, model)) model.notDeleted(deletion, 'not found', span);
    else {
      const { status, body } = outcome;
      const isRight = status === 204 ? body === undefined : JSON.stringify(body) === SUCCESS;
      if (!isRight) throw new Violation(`${text} received ${status} ${JSON.stringify(body)}`);
      model.deleted(deletion, span);
      this.#stage.tally.add('acknowledged');
    }
  }

  /** Reads the whole list. Returns `undefined` if there was no response. */
  async list(): Promise<readonly User[] | undefined> {
    const { world } = this.#stage;
    const start = world.beginReading();
    const { outcome, span, text } = await this.#send(start, 'GET', '');
    if (outcome.kind !== 'answered') {
      world.notRead(start);
      return undefined;
    }
    const { users, total } = readList(outcome, text);
    world.seeList(users, total, span);
    return users;
  }

  /** Reads one page. Returns `undefined` if there was no response. */
  async page(page: number, limit: number): Promise<readonly User[] | undefined> {
    const { world } = this.#stage;
    const start = world.beginReading();
    const query = `?page=${page}&limit=${limit}`;
    const { outcome, span, text } = await this.#send(start, 'GET', query);
    if (outcome.kind !== 'answered') {
      world.notRead(start);
      return undefined;
    }
    const { users, total } = readPage(outcome, page, limit, text);
    world.seePage(users, total, (page - 1) * limit, limit, span);
    return users;
  }

  async #send(start: number, method: string, path: string, value?: unknown): Promise<Sent> {
    const { fleet, database, tally } = this.#stage;
    const service = await fleet.pick(this.random);
    const mount = this.random.pick(MOUNTS);
    const outcome = await exchange(service, database, method, mount + path, value);
    if (outcome.kind !== 'refused') tally.add(outcome.kind);
    if (isUnknown(outcome)) await this.#settle(service);
    const sent = value === undefined ? '' : ` ${JSON.stringify(value)}`;
    const text = `${this.#name} to ${service.name}: ${method} ${mount}${path}${sent}`;
    return { outcome, span: { start, end: tick() }, text };
  }

  /** Waits until a request without a response has taken effect or no longer can. */
  async #settle(service: Service): Promise<void> {
    if (service.isEnding) await service.ended;
    await this.#stage.database?.settled();
  }

  #note(model: UserModel, span: Span, text: string, outcome: Outcome): void {
    const isAnswered = outcome.kind === 'answered';
    const result = isAnswered ? `${outcome.status} ${JSON.stringify(outcome.body)}` : outcome.kind;
    model.history.add(span, `${text} → ${result}`);
  }
}

const SUCCESS = '{"success":true}';

/** Whether the request certainly had no effect. */
function isUndone(outcome: Outcome): boolean {
  return outcome.kind === 'refused' || (outcome.kind === 'unavailable' && outcome.isUndone);
}

/** Whether the request may or may not have taken effect. */
function isUnknown({ kind }: Outcome): boolean {
  return kind !== 'answered' && kind !== 'refused';
}

/** Whether the user was not found. Also checks the body of the 404 response. */
function isMissing({ status, body }: Answered, { id }: UserModel): boolean {
  if (status === 404) readMissing(body, id);
  return status === 404;
}
