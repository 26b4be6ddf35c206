import type { UpdateUserInput } from '../../../src/users/user.js';
import type { UserModel } from '../model/user-model.js';
import type { Client } from './client.js';

/** The maximum number of users that a client keeps. */
const MOST = 12;

/** Works on users that no other client changes. Each response determines their exact state. */
export async function workExclusively(client: Client, isOver: () => boolean): Promise<void> {
  const { random } = client;
  const mine: UserModel[] = [];
  while (!isOver()) {
    const index = random.integer(0, mine.length);
    const model = mine[index];
    const share = random.integer(0, 100);
    if (model === undefined || (share < 30 && mine.length < MOST)) {
      const created = await client.create();
      if (created !== undefined) mine.push(created);
    } else if (share < 45) {
      await client.delete(model);
      await client.show(model);
      if (model.presence.goneBy < Number.POSITIVE_INFINITY) mine.splice(index, 1);
    } else if (share < 75) {
      const { name, email } = client.input();
      const changes = random.pick<UpdateUserInput>([{ name }, { email }, { name, email }, {}]);
      await client.update(model, changes);
    } else await client.show(model);
  }
}
