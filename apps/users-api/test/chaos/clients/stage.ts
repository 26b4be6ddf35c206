import type { Database } from '../fleet/database.js';
import type { Fleet } from '../fleet/fleet.js';
import type { World } from '../model/world.js';
import type { Tally } from '../tally.js';

/** What the clients of one run share. */
export interface Stage {
  readonly fleet: Fleet;
  /** The database that the services use; `undefined` when they keep the users themselves. */
  readonly database: Database | undefined;
  readonly world: World;
  readonly tally: Tally;
}
