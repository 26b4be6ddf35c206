import type { UpdateUserInput, User } from '../../../src/users/user.js';
import { History } from './history.js';
import { type Deletion, Presence } from './presence.js';
import { Register, type Write } from './register.js';
import type { Span } from './span.js';
import { Violation } from './violation.js';

/** An update on its way: the writes of the fields that it changes. */
export interface Update {
  readonly name?: Write;
  readonly email?: Write;
}

/** All that is known of one user, checked against all that is shown of it. */
export class UserModel {
  readonly id: string;
  readonly history = new History();
  readonly presence: Presence;
  readonly #createdAt: string;
  readonly #name = new Register('name');
  readonly #email = new Register('email');
  /** The latest `updatedAt` that was shown, and when; a later request shows no earlier one. */
  #updated: { readonly at: string; readonly end: number }[] = [];

  /**
   * @param user - The user as it was shown for the first time.
   * @param createStart - When its creation was sent.
   */
  constructor(user: User, createStart: number) {
    this.id = user.id;
    this.presence = new Presence(createStart);
    this.#createdAt = user.createdAt;
    // The creation is over when the user is shown, which see() is told right after this.
    this.#name.begin(user.name, createStart).end = createStart;
    this.#email.begin(user.email, createStart).end = createStart;
  }

  /** A request showed the user. */
  see(user: User, span: Span): void {
    this.#check(() => {
      this.presence.seePresent(span);
      this.#name.see(user.name, span);
      this.#email.see(user.email, span);
      if (user.createdAt !== this.#createdAt) {
        throw new Violation(`createdAt was ${this.#createdAt} and is ${user.createdAt}`);
      }
      this.#seeUpdatedAt(user.updatedAt, span);
    });
  }

  /** A request did not find the user. */
  seeAbsent(span: Span): void {
    this.#check(() => this.presence.seeAbsent(span));
  }

  /** An update is about to be sent. */
  beginUpdate(changes: UpdateUserInput, start: number): Update {
    const { name, email } = changes;
    return {
      ...(name === undefined ? {} : { name: this.#name.begin(name, start) }),
      ...(email === undefined ? {} : { email: this.#email.begin(email, start) }),
    };
  }

  /** An update was answered with the user as it is now. */
  updated(update: Update, user: User, span: Span): void {
    this.settled(update, span.end);
    this.#check(() => {
      for (const field of ['name', 'email'] as const) {
        if (update[field] !== undefined && user[field] !== update[field].value) {
          throw new Violation(`the update's own answer has another ${field}: ${user[field]}`);
        }
      }
    });
    this.see(user, span);
  }

  /** An update that was not answered has been done by now, or will never be. */
  settled(update: Update, end: number): void {
    for (const write of [update.name, update.email]) if (write !== undefined) write.end = end;
  }

  /** An update was not done, and never will be. */
  notUpdated(update: Update, end: number): void {
    this.#check(() => {
      if (update.name !== undefined) this.#name.withdraw(update.name, end);
      if (update.email !== undefined) this.#email.withdraw(update.email, end);
    });
  }

  /** A deletion was answered with success. */
  deleted(deletion: Deletion, span: Span): void {
    this.#check(() => this.presence.deleted(deletion, span));
  }

  /** A deletion was not done. */
  notDeleted(deletion: Deletion, outcome: 'not found' | 'not done', span: Span): void {
    this.#check(() => this.presence.notDeleted(deletion, outcome, span));
  }

  #seeUpdatedAt(at: string, span: Span): void {
    const before = this.#updated.filter(({ end }) => end < span.start);
    const floor = [this.#createdAt, ...before.map(({ at }) => at)].sort().at(-1) ?? at;
    if (at < floor) throw new Violation(`updatedAt went back from ${floor} to ${at}`);
    // Of what came before everything in flight, the latest says it all.
    const rest = this.#updated.filter(({ end, at }) => end >= span.start || at === floor);
    this.#updated = [...rest.slice(-64), { at, end: span.end }];
  }

  #check(rule: () => void): void {
    try {
      rule();
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      throw new Violation(`User ${this.id}: ${error.message}. Its history:\n${this.history}`);
    }
  }
}
