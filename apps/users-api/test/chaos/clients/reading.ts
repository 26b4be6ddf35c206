import { Violation } from '../model/violation.js';
import type { Client } from './client.js';

/** Reads pages, and now and then the whole list. */
export async function read(client: Client, isOver: () => boolean): Promise<void> {
  const { random } = client;
  while (!isOver()) {
    if (random.percent(15)) await client.list();
    else await client.page(random.integer(1, 40), random.integer(1, 40));
  }
}

/**
 * Reads everything once nobody writes: the list, the same list in pages, and each user.
 *
 * @throws {Violation} When they do not agree, or something is not answered.
 */
export async function audit(client: Client): Promise<void> {
  const users = await client.list();
  if (users === undefined) throw new Violation('The list is not answered, and nothing is wrong');
  const limit = client.random.integer(5, 50);
  for (let page = 1; (page - 1) * limit <= users.length; page += 1) {
    const part = users.slice((page - 1) * limit, page * limit);
    if (JSON.stringify(await client.page(page, limit)) !== JSON.stringify(part)) {
      throw new Violation(`Page ${page} of ${limit} is not that part of the list`);
    }
  }
  if (JSON.stringify(await client.list()) !== JSON.stringify(users)) {
    throw new Violation('Two lists differ, and nobody writes');
  }
}
