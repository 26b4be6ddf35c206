import { describeChaos } from './describe-chaos.js';

describeChaos([{ store: 'sqlite', processes: 1, rounds: 2, met: { kills: 1, stops: 1 } }]);
