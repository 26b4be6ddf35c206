import type { UserModel } from '../model/user-model.js';
import type { Client } from './client.js';

/** Deletes users with several requests at once, of which one may succeed, while others touch it. */
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
