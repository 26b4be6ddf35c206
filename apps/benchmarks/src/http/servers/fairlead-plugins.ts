import {
  type Application,
  createApp,
  errorHandler,
  json,
  listen,
  notFoundHandler,
} from '@fairlead/core';
import { createJwtAuth } from '@fairlead/jwt';
import { compression } from '@fairlead/middleware';
import { session } from '@fairlead/session';
import { AUDIENCE, ISSUER, LIST, SECRET } from '../../plugins/fixtures.js';

const create = () => createApp().use(errorHandler(), json());

const serve = (app: Application) => listen(app.use(notFoundHandler()), 0, { host: '127.0.0.1' });

export const start = {
  gzip: () =>
    serve(
      create()
        .use(compression({ encodings: ['gzip'] }))
        .get('/list', () => LIST),
    ),
  jwt() {
    const auth = createJwtAuth({ issuer: ISSUER, audience: AUDIENCE, secret: SECRET });
    const app = create();
    app.use(auth.middleware).get('/me', ({ state }) => ({ user: state.jwt.claims.sub }));
    return serve(app);
  },
  session() {
    const app = create();
    app
      .use(session<{ user: string }>({ keys: [SECRET] }))
      .post('/sign-in', ({ state }) => {
        state.session.set('user', 'ada');
        return {};
      })
      .get('/me', ({ state }) => ({ user: state.session.get('user') }));
    return serve(app);
  },
};
