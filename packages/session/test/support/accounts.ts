import { createApp, errorHandler } from '@fairlead/core';
import { type SessionOptions, session } from '../../src/index.js';

/** The name of the cookie with the default options. */
export const COOKIE = '__Host-Http-session';

/** The members of the sessions of the test application. */
export interface Account {
  user: string;
  visits: number;
  cart: readonly string[];
}

/** Creates an application with routes that use a session. */
export function createAccounts(options: SessionOptions, errors: unknown[] = []) {
  const app = createApp().use(
    errorHandler({ onError: (error) => errors.push(error) }),
    session<Account>(options),
  );
  return app
    .get('/', ({ state }) => ({
      user: state.session.get('user') ?? null,
      visits: state.session.get('visits') ?? null,
      cart: state.session.get('cart') ?? null,
    }))
    .get('/id', ({ state }) => ({ id: state.session.id ?? null }))
    .get('/none', () => 'none')
    .post('/sign-in/:user', ({ state, params }) => {
      state.session.rotate();
      state.session.set('user', params.user);
      return { id: state.session.id };
    })
    .post('/visit', ({ state }) => {
      const visits = (state.session.get('visits') ?? 0) + 1;
      state.session.set('visits', visits);
      return visits;
    })
    .post('/cart/:item', ({ state, params }) => {
      state.session.set('cart', [...(state.session.get('cart') ?? []), params.item]);
      return state.session.get('cart');
    })
    .post('/sign-out', ({ state }) => {
      state.session.destroy();
      return 'bye';
    });
}
