import type { Database } from '../fleet/database.js';
import type { Fleet } from '../fleet/fleet.js';
import type { World } from '../model/world.js';
import type { Tally } from '../tally.js';

/** The state that all clients of a run share. */
export interface Stage {
  readonly fleet: Fleet;
  /** The PostgreSQL server. `undefined` when the services use SQLite. */
  readonly database: Database | undefined;
  readonly world: World;
  readonly tally: Tally;
}
