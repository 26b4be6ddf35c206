import underPressure from '@fastify/under-pressure';
import fastify, { type FastifyInstance } from 'fastify';
import { work } from '../../overload/work.js';

const serve = (app: FastifyInstance) => app.listen({ port: 0, host: '127.0.0.1' });

function create(): FastifyInstance {
  const app = fastify();
  app.get('/live', async () => ({ status: 'ok' }));
  return app;
}

export const start = {
  none() {
    const app = create();
    app.get('/work', work);
    return serve(app);
  },
  async limited() {
    const app = create();
    // Probes pass, as with Fairlead.
    await app.register(async (part) => {
      // The limits of its documentation, without those of memory.
      await part.register(underPressure, {
        maxEventLoopDelay: 1_000,
        maxEventLoopUtilization: 0.98,
        // By default, it is that since the start, which an overload after a quiet time hardly changes.
        eventLoopUtilizationMode: 'interval',
      });
      part.get('/work', work);
    });
    return serve(app);
  },
};
