import type { User } from '../../../src/users/user.js';
import type { Span } from './span.js';
import type { UserModel } from './user-model.js';
import { Violation } from './violation.js';

/** The number of earlier lists to compare a new list with. */
const REMEMBERED = 4;

interface Seen {
  readonly span: Span;
  readonly places: ReadonlyMap<string, number>;
}

/** Checks that lists show each user once, in creation order, in an order that never changes. */
export class Listing {
  readonly #isStrict: boolean;
  #lists: Seen[] = [];

  /**
   * @param isStrict - Whether users become visible in the order of the list. Otherwise, of two users whose
   *   creations overlap, the first in the list may become visible last.
   */
  constructor(isStrict: boolean) {
    this.#isStrict = isStrict;
  }

  /**
   * Checks one page or one whole list.
   *
   * @throws {Violation} When it contains a user twice, or shows a user before an earlier one.
   */
  check(models: readonly UserModel[]): void {
    if (new Set(models).size !== models.length) throw new Violation('A list contains a user twice');
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
   * Compares a whole list with the lists before it.
   *
   * @throws {Violation} When two users have swapped positions or, if the order is strict, a new user
   *   appears before users of an earlier list.
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
        if (place < last) throw new Violation(`${id} has changed its position in the list`);
        if (this.#isStrict && isLater && lastNew !== undefined) {
          throw new Violation(
            `${lastNew} appeared before ${id}, which an earlier list showed without it`,
          );
        }
        last = place;
      }
    }
    const places = new Map(users.map(({ id }, index) => [id, index]));
    this.#lists = [...this.#lists, { span, places }].slice(-REMEMBERED);
  }
}
