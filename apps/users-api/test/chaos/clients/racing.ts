import type { UserModel } from '../model/user-model.js';
import type { Client } from './client.js';

/**
 * Deletes each user with several concurrent requests, only one of which may succeed. Other requests
 * read and update the user at the same time.
 */
export async function raceDeletes(
  client: Client,
  takeOrphan: () => UserModel | undefined,
  isOver: () => boolean,
): Promise<void> {
  const { random } = client;
  while (!isOver()) {
    const model = takeOrphan() ?? (await client.create());
    if (model === undefined) continue;
    const deletions = Array.from({ length: random.integer(2, 5) }, () => client.delete(model));
    const others = [client.show(model), client.update(model, { name: client.value() })];
    await Promise.all([...deletions, ...others]);
    await client.show(model);
  }
}
