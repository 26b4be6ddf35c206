import { Violation } from '../model/violation.js';
import type { Client } from './client.js';

/** Reads pages and sometimes the whole list. */
export async function read(client: Client, isOver: () => boolean): Promise<void> {
  const { random } = client;
  while (!isOver()) {
    if (random.percent(15)) await client.list();
    else await client.page(random.integer(1, 40), random.integer(1, 40));
  }
}

/**
 * Reads the whole list, then every page of it, then the list again. Call it when no client writes.
 *
 * @throws {Violation} When the results differ or a list has no response.
 */
export async function audit(client: Client): Promise<void> {
  const users = await client.list();
  if (users === undefined)
    throw new Violation('The list has no response although every service is up');
  const limit = client.random.integer(5, 50);
  for (let page = 1; (page - 1) * limit <= users.length; page += 1) {
    const part = users.slice((page - 1) * limit, page * limit);
    if (JSON.stringify(await client.page(page, limit)) !== JSON.stringify(part)) {
      throw new Violation(`Page ${page} with limit ${limit} differs from that part of the list`);
    }
  }
  if (JSON.stringify(await client.list()) !== JSON.stringify(users)) {
    throw new Violation('Two lists differ although no client writes');
  }
}
