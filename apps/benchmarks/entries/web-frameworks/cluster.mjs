import cluster from 'node:cluster';
import { availableParallelism } from 'node:os';

if (cluster.isPrimary) {
  for (let worker = 0; worker < availableParallelism(); worker += 1) cluster.fork();
} else {
  await import('./app.mjs');
}
