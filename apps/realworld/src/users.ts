import { createRouter } from '@fairlead/core';
import { rateLimit } from '@fairlead/rate-limit';
import { type Auth, hashPassword, isPassword } from './auth.ts';
import { notFound, refuseTaken, unauthorized } from './errors.ts';
import {
  Credentials,
  NewUser,
  ProfilePath,
  ProfileResponse,
  UserChanges,
  UserResponse,
} from './schemas.ts';
import type { Store, User } from './store/store.ts';

/** Registration, sign-in, the current user, and profiles. */
export function createUsersRouter(store: Store, auth: Auth) {
  const { signedIn, maybeSignedIn } = auth;

  const toUser = async (user: User) => {
    const { username, email, bio, image } = user;
    return { user: { username, email, bio, image, token: await auth.sign(user) } };
  };

  const toProfile = async (username: string, reader: User | undefined) => {
    const profile = await store.findProfile(username, reader?.id ?? null);
    if (profile === undefined) throw notFound('profile');
    return { profile };
  };

  const users = { tags: ['User and Authentication'], response: UserResponse };
  const profiles = { tags: ['Profile'], params: ProfilePath, response: ProfileResponse };

  return createRouter()
    .post(
      '/users',
      { ...users, summary: 'Register', body: NewUser, status: 201, errors: [409] },
      async (ctx) => {
        const { password, ...user } = ctx.body.user;
        const passwordHash = await hashPassword(password);
        return toUser(await store.addUser({ ...user, passwordHash }).catch(refuseTaken));
      },
    )
    .post(
      '/users/login',
      { ...users, summary: 'Sign in', body: Credentials, errors: [401] },
      rateLimit({ points: 10, duration: 60, name: 'login', count: 'failures' }),
      async (ctx) => {
        const { email, password } = ctx.body.user;
        const user = await store.findUserByEmail(email);
        const isCorrect = await isPassword(password, user?.passwordHash);
        if (user === undefined || !isCorrect) throw unauthorized('credentials', 'invalid');
        return toUser(user);
      },
    )
    .get('/user', { ...users, summary: 'Show the current user' }, signedIn, ({ state }) =>
      toUser(state.user),
    )
    .put(
      '/user',
      { ...users, summary: 'Change the current user', body: UserChanges, errors: [409] },
      signedIn,
      async ({ body, state }) => {
        const { password, ...changes } = body.user;
        const hashed = password !== undefined && { passwordHash: await hashPassword(password) };
        const changed = store.updateUser(state.user.id, { ...changes, ...hashed });
        return toUser(await changed.catch(refuseTaken));
      },
    )
    .get(
      '/profiles/:username',
      { ...profiles, summary: 'Show a profile' },
      maybeSignedIn,
      ({ params, state }) => toProfile(params.username, state.user),
    )
    .post(
      '/profiles/:username/follow',
      { ...profiles, summary: 'Follow a user' },
      signedIn,
      async ({ params, state }) => {
        await store.follow(state.user.id, params.username);
        return toProfile(params.username, state.user);
      },
    )
    .delete(
      '/profiles/:username/follow',
      { ...profiles, summary: 'Unfollow a user' },
      signedIn,
      async ({ params, state }) => {
        await store.unfollow(state.user.id, params.username);
        return toProfile(params.username, state.user);
      },
    );
}
