import type { UpdateUserInput } from '../../../src/users/user.js';
import type { UserModel } from '../model/user-model.js';
import type { Client } from './client.js';

/** Users that several clients change. A deleted user is replaced. */
export type Board = UserModel[];

/** The number of users on a board. */
const SIZE = 3;

/** Changes one or both fields of users that other clients change too. */
export async function contend(client: Client, board: Board, isOver: () => boolean): Promise<void> {
  const { random } = client;
  while (!isOver()) {
    const model = board[random.integer(0, SIZE)];
    const share = random.integer(0, 100);
    if (model === undefined) {
      const created = await client.create();
      if (created !== undefined) board.push(created);
    } else if (share < 60) {
      const { name, email } = client.input();
      const changes = random.pick<UpdateUserInput>([{ name }, { email }, { name, email }]);
      await client.update(model, changes);
    } else if (share < 98) await client.show(model);
    else {
      board.splice(board.indexOf(model), 1);
      await client.delete(model);
      await client.show(model);
    }
  }
}
