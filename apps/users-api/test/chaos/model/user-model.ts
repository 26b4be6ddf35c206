import type { UpdateUserInput, User } from '../../../src/users/user.js';
import { History } from './history.js';
import { type Deletion, Presence } from './presence.js';
import { Register, type Write } from './register.js';
import type { Span } from './span.js';
import { Violation } from './violation.js';

/** The writes of one update, by field. */
export interface Update {
  readonly name?: Write;
  readonly email?: Write;
}

/** Everything known about one user. Checks each response that concerns the user against it. */
export class UserModel {
  readonly id: string;
  readonly history = new History();
  readonly presence: Presence;
  readonly #createdAt: string;
  readonly #name = new Register('name');
  readonly #email = new Register('email');
  /** The latest values of `updatedAt` and when they were seen. It never moves backwards. */
  #updated: { readonly at: string; readonly end: number }[] = [];

  /**
   * @param user - The user as first seen in a response.
   * @param createStart - When the client sent its creation.
   */
  constructor(user: User, createStart: number) {
    this.id = user.id;
    this.presence = new Presence(createStart);
    this.#createdAt = user.createdAt;
    // Seeing the user proves that its creation is over. The caller calls see() right after this.
    this.#name.begin(user.name, createStart).end = createStart;
    this.#email.begin(user.email, createStart).end = createStart;
  }

  /** Records a response that showed the user. */
  see(user: User, span: Span): void {
    this.#check(() => {
      this.presence.seePresent(span);
      this.#name.see(user.name, span);
      this.#email.see(user.email, span);
      if (user.createdAt !== this.#createdAt) {
        throw new Violation(`createdAt changed from ${this.#createdAt} to ${user.createdAt}`);
      }
      this.#seeUpdatedAt(user.updatedAt, span);
    });
  }

  /** Records a response without the user. */
  seeAbsent(span: Span): void {
    this.#check(() => this.presence.seeAbsent(span));
  }

  /** Records an update that the client is about to send. */
  beginUpdate(changes: UpdateUserInput, start: number): Update {
    const { name, email } = changes;
    return {
      ...(name === undefined ? {} : { name: this.#name.begin(name, start) }),
      ...(email === undefined ? {} : { email: this.#email.begin(email, start) }),
    };
  }

  /** Records a successful update and the user in its response. */
  updated(update: Update, user: User, span: Span): void {
    this.settled(update, span.end);
    this.#check(() => {
      for (const field of ['name', 'email'] as const) {
        if (update[field] !== undefined && user[field] !== update[field].value) {
          throw new Violation(
            `the response to the update has a different ${field}: ${user[field]}`,
          );
        }
      }
    });
    this.see(user, span);
  }

  /** Records that an update has taken effect or never will. */
  settled(update: Update, end: number): void {
    for (const write of [update.name, update.email]) if (write !== undefined) write.end = end;
  }

  /** Records that an update had no effect and never will. */
  notUpdated(update: Update, end: number): void {
    this.#check(() => {
      if (update.name !== undefined) this.#name.withdraw(update.name, end);
      if (update.email !== undefined) this.#email.withdraw(update.email, end);
    });
  }

  /** Records a successful deletion. */
  deleted(deletion: Deletion, span: Span): void {
    this.#check(() => this.presence.deleted(deletion, span));
  }

  /** Records a deletion without effect. */
  notDeleted(deletion: Deletion, outcome: 'not found' | 'not done', span: Span): void {
    this.#check(() => this.presence.notDeleted(deletion, outcome, span));
  }

  #seeUpdatedAt(at: string, span: Span): void {
    const before = this.#updated.filter(({ end }) => end < span.start);
    const floor = [this.#createdAt, ...before.map(({ at }) => at)].sort().at(-1) ?? at;
    if (at < floor) throw new Violation(`updatedAt went backwards from ${floor} to ${at}`);
    // Of the values seen before this request began, only the latest matters.
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
