import type { CreateUserInput, User } from '../../../src/users/user.js';
import { Listing } from './listing.js';
import { type Span, tick } from './span.js';
import { UserModel } from './user-model.js';
import { Violation } from './violation.js';

/** A creation without a response so far. A list shows its user only by the unique name. */
export interface Creation {
  readonly input: CreateUserInput;
  readonly start: number;
  /** When it had taken effect or no longer could. `Infinity` until then. */
  end: number;
  /** The user that a list has shown with its name. */
  adopted: UserModel | undefined;
}

/** The number of deleted users whose history is kept. */
const REMEMBERED = 20_000;

/** Every user that the clients know. Checks lists and pages against them. */
export class World {
  readonly #users = new Map<string, UserModel>();
  /** Users that are certainly gone. A list must not show them. */
  readonly #gone = new Map<string, UserModel>();
  readonly #creations = new Map<string, Creation>();
  readonly #orphans: UserModel[] = [];
  readonly #listing: Listing;
  /** The start moments of the lists in flight, oldest first. */
  readonly #reading = new Set<number>();

  /** @param isStrict - Whether users become visible in the order of the list. */
  constructor(isStrict = true) {
    this.#listing = new Listing(isStrict);
  }

  /** Users that may exist. */
  get users(): Iterable<UserModel> {
    return this.#users.values();
  }

  /** Removes and returns a user whose creation had no response, so no client uses it. */
  takeOrphan(): UserModel | undefined {
    return this.#orphans.pop();
  }

  /** Records a creation that the client is about to send. Its name must be unique. */
  beginCreation(input: CreateUserInput): Creation {
    const creation: Creation = {
      input,
      start: tick(),
      end: Number.POSITIVE_INFINITY,
      adopted: undefined,
    };
    this.#creations.set(input.name, creation);
    return creation;
  }

  /** Records a successful creation and the user in its response. */
  created(creation: Creation, user: User, span: Span): UserModel {
    this.#creations.delete(creation.input.name);
    const { adopted } = creation;
    if (adopted !== undefined && adopted.id !== user.id) {
      throw new Violation(`One request created two users, ${adopted.id} and ${user.id}`);
    }
    const { name, email } = creation.input;
    if (user.name !== name || user.email !== email || user.updatedAt !== user.createdAt) {
      throw new Violation(`The creation of ${name} returned ${JSON.stringify(user)}`);
    }
    const model = adopted ?? this.#add(user, creation.start);
    model.see(user, span);
    return model;
  }

  /** Records that a creation had no effect and never will. */
  notCreated(creation: Creation): void {
    this.#creations.delete(creation.input.name);
    if (creation.adopted !== undefined) {
      throw new Violation(`A failed request created user ${creation.adopted.id}`);
    }
  }

  /** Records that a client is about to request a list or a page. */
  beginReading(): number {
    const start = tick();
    this.#reading.add(start);
    return start;
  }

  /** Records that a list or a page had no response. */
  notRead(start: number): void {
    this.#reading.delete(start);
  }

  /** Checks a response with the whole list. */
  seeList(users: readonly User[], total: number, span: Span): void {
    this.#reading.delete(span.start);
    if (total !== users.length) {
      throw new Violation(`The list's total is ${total}, but it has ${users.length} users`);
    }
    const models = this.#see(users, span);
    this.#listing.compare(users, span);
    const shown = new Set(models);
    for (const model of this.#users.values()) if (!shown.has(model)) model.seeAbsent(span);
    this.#forget(span);
  }

  /** Checks a response with one page. */
  seePage(users: readonly User[], total: number, offset: number, limit: number, span: Span): void {
    this.#reading.delete(span.start);
    const length = Math.max(0, Math.min(limit, total - offset));
    if (users.length !== length) {
      throw new Violation(
        `A page of ${limit} at ${offset} of ${total} has ${users.length} users, not ${length}`,
      );
    }
    const { least, most } = this.#count(span);
    this.#see(users, span);
    if (total < least || total > most) {
      throw new Violation(`A page's total is ${total}, but there are ${least} to ${most} users`);
    }
  }

  #see(users: readonly User[], span: Span): UserModel[] {
    const models = users.map((user) => this.#modelOf(user));
    users.forEach((user, index) => {
      models[index]?.history.add(span, `listed as ${user.name} ${user.email} ${user.updatedAt}`);
      models[index]?.see(user, span);
    });
    this.#listing.check(models);
    return models;
  }

  #modelOf(user: User): UserModel {
    const known = this.#users.get(user.id) ?? this.#gone.get(user.id);
    if (known !== undefined) return known;
    const creation = this.#creations.get(user.name);
    if (creation === undefined || creation.adopted !== undefined) {
      throw new Violation(`A list shows a user that nobody created: ${JSON.stringify(user)}`);
    }
    creation.adopted = this.#add(user, creation.start);
    return creation.adopted;
  }

  #add(user: User, createStart: number): UserModel {
    if (this.#users.has(user.id) || this.#gone.has(user.id)) {
      throw new Violation(`Two users have the id ${user.id}`);
    }
    const model = new UserModel(user, createStart);
    this.#users.set(user.id, model);
    return model;
  }

  #count(span: Span): { least: number; most: number } {
    let least = 0;
    let most = 0;
    for (const { presence } of this.#users.values()) {
      if (presence.surelyDuring(span)) least += 1;
      if (presence.maybeDuring(span)) most += 1;
    }
    for (const { adopted } of this.#creations.values()) if (adopted === undefined) most += 1;
    return { least, most };
  }

  /** Removes the users and creations that no list in flight can show any more. */
  #forget(span: Span): void {
    const [oldest = span.end] = this.#reading;
    for (const [id, model] of this.#users) {
      if (model.presence.goneBy >= oldest) continue;
      this.#users.delete(id);
      this.#gone.set(id, model);
    }
    for (const id of this.#gone.keys()) {
      if (this.#gone.size <= REMEMBERED) break;
      this.#gone.delete(id);
    }
    for (const [name, { adopted, end }] of this.#creations) {
      if (end >= Math.min(oldest, span.start)) continue;
      this.#creations.delete(name);
      if (adopted !== undefined) this.#orphans.push(adopted);
    }
  }
}
