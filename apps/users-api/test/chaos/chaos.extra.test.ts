import { describeChaos } from './describe-chaos.js';

/** With chaos.test.ts, one round for each kind of disturbance that there is. */
describeChaos([
  { store: 'sqlite', processes: 2, rounds: 3, met: { kills: 2, stops: 2 } },
  { store: 'postgres', processes: 1, rounds: 3, met: { kills: 1, crashes: 1 } },
  { store: 'postgres', processes: 2, rounds: 4, met: { kills: 2, crashes: 1 } },
]);
