import type { User } from '../../../src/users/user.js';
import type { Span } from './span.js';
import type { UserModel } from './user-model.js';
import { Violation } from './violation.js';

/** How many earlier lists a new one is compared with. */
const REMEMBERED = 4;

interface Seen {
  readonly span: Span;
  readonly places: ReadonlyMap<string, number>;
}

/** The rules of order that every list keeps: creation order, once each, stable from list to list. */
export class Listing {
  #lists: Seen[] = [];

  /**
   * Checks a page, or a whole list, on its own.
   *
   * @throws {Violation} When a user is in it twice, or before one that was created earlier.
   */
  check(models: readonly UserModel[]): void {
    if (new Set(models).size !== models.length) throw new Violation('A list shows a user twice');
    let youngest: UserModel | undefined;
    for (const model of models) {
      if (youngest !== undefined && model.presence.createdBy < youngest.presence.createStart) {
        throw new Violation(
          `A list shows ${youngest.id} before ${model.id}, which was created earlier:\n` +
            `${youngest.history}\n${model.history}`,
        );
      }
      const latest = youngest?.presence.createStart ?? 0;
      if (model.presence.createStart > latest) youngest = model;
    }
  }

  /**
   * Compares a whole list with those before it.
   *
   * @throws {Violation} When two users have changed places, or one has come before users that an
   *   earlier list had shown without it.
   */
  compare(users: readonly User[], span: Span): void {
    for (const earlier of this.#lists) {
      const isLater = earlier.span.end < span.start;
      let last = -1;
      let lastNew: string | undefined;
      for (const { id } of users) {
        const place = earlier.places.get(id);
        if (place === undefined) {
          lastNew = id;
          continue;
        }
        if (place < last) throw new Violation(`${id} has changed its place in the list`);
        if (isLater && lastNew !== undefined) {
          throw new Violation(`${lastNew} came before ${id}, which an earlier list had without it`);
        }
        last = place;
      }
    }
    const places = new Map(users.map(({ id }, index) => [id, index]));
    this.#lists = [...this.#lists, { span, places }].slice(-REMEMBERED);
  }
}
