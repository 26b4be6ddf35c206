import { BATCH, type UserPage, type UserStore } from './store.js';
import {
  createUser,
  type NewUser,
  type Slice,
  type User,
  type UserChanges,
  updateUser,
} from './user.js';

/** Holds the current version of a user, so that an update need not search the list. */
interface Slot {
  user: User;
}

/** Stores users in a Map by id and an array by creation. */
export class MemoryStore implements UserStore {
  readonly #slots = new Map<string, Slot>();
  readonly #order: Slot[] = [];

  page({ offset, limit }: Slice): UserPage {
    const slots = this.#order.slice(offset, offset + limit);
    return { users: slots.map(({ user }) => user), total: this.#order.length };
  }

  async *list({ offset, limit }: Slice): AsyncGenerator<readonly User[]> {
    const slots = this.#order.slice(offset, offset + limit);
    for (let from = 0; from < slots.length; from += BATCH) {
      yield slots.slice(from, from + BATCH).map(({ user }) => user);
    }
  }

  find(id: string): User | undefined {
    return this.#slots.get(id)?.user;
  }

  create(input: NewUser): User {
    const slot = { user: createUser(input) };
    this.#slots.set(slot.user.id, slot);
    this.#order.push(slot);
    return slot.user;
  }

  update(id: string, changes: UserChanges, expected?: User): User | undefined {
    const slot = this.#find(id, expected);
    if (slot === undefined) return undefined;
    slot.user = updateUser(slot.user, changes);
    return slot.user;
  }

  delete(id: string, expected?: User): boolean {
    const slot = this.#find(id, expected);
    if (slot === undefined) return false;
    this.#slots.delete(id);
    this.#order.splice(this.#order.indexOf(slot), 1);
    return true;
  }

  check(): void {}

  close(): void {}

  #find(id: string, expected: User | undefined): Slot | undefined {
    const slot = this.#slots.get(id);
    return expected === undefined || slot?.user === expected ? slot : undefined;
  }
}
