import compress from '@fastify/compress';
import jwt from '@fastify/jwt';
import secureSession from '@fastify/secure-session';
import fastify, { type FastifyInstance } from 'fastify';
import { AUDIENCE, ISSUER, LIST, SECRET } from '../../plugins/fixtures.js';

// Requests without a body then cost less on Node 24. `FastifyServerOptions` has no type for it.
const create = () => fastify({ http: { optimizeEmptyRequests: true } as object });

const serve = (app: FastifyInstance) => app.listen({ port: 0, host: '127.0.0.1' });

export const start = {
  async gzip() {
    const app = create();
    await app.register(compress, { encodings: ['gzip'] });
    app.get('/list', async () => LIST);
    return serve(app);
  },
  async jwt() {
    const app = create();
    const verify = { allowedIss: ISSUER, allowedAud: AUDIENCE, requiredClaims: ['exp'] };
    await app.register(jwt, { secret: SECRET, verify });
    app.addHook('onRequest', async (request) => {
      await request.jwtVerify();
    });
    app.get('/me', async ({ user }) => ({ user: (user as { sub: string }).sub }));
    return serve(app);
  },
  async session() {
    const app = create();
    await app.register(secureSession, { key: Buffer.from(SECRET), cookie: { path: '/' } });
    app.post('/sign-in', async ({ session }) => {
      session.set('user', 'ada');
      return {};
    });
    app.get('/me', async ({ session }) => ({ user: session.get('user') }));
    return serve(app);
  },
};

declare module '@fastify/secure-session' {
  interface SessionData {
    user: string;
  }
}
