import type { Command } from 'commander';
import { addAccess } from './access.js';
import { addCheck } from './check.js';
import { addClient } from './client.js';
import { addDoctor } from './doctor.js';
import { addExplain } from './explain.js';
import { addFetch } from './fetch.js';
import { addFuzz } from './fuzz.js';
import { addNew } from './new.js';
import { addOpenapi } from './openapi.js';
import { addRoutes } from './routes.js';
import { addUpgrade } from './upgrade.js';

export { describeStartError } from '@fairlead/serve';
export { checkConfiguration, restartWith } from '../application.js';

/** All commands, in the order of the help. */
export const commands: readonly ((program: Command) => void)[] = [
  addRoutes,
  addExplain,
  addCheck,
  addAccess,
  addFetch,
  addFuzz,
  addOpenapi,
  addClient,
  addNew,
  addDoctor,
  addUpgrade,
];
