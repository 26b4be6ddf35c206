import {
  Controller,
  Ctx,
  createCustomParamDecorator,
  Get,
  type GuardFn,
  Post,
  registerController,
  UseGuard,
} from '@fairlead/controllers';
import {
  type Context,
  createApp,
  createRouter,
  errorHandler,
  UnauthorizedError,
} from '@fairlead/core';
import { describe, expect, it } from 'vitest';
import { createMemoryStore, type Session, type SessionOptions, session } from '../src/index.js';
import { NEW_KEY } from './support/keys.js';

type Account = Session<{ user: string }>;

const CurrentSession = createCustomParamDecorator((ctx) => ctx.state.session);

const signedIn: GuardFn = (ctx) => {
  if ((ctx.state.session as Account).get('user') !== undefined) return true;
  throw new UnauthorizedError('Sign in first.');
};

@Controller('/account')
class AccountController {
  @Post('/sign-in')
  signIn(@CurrentSession current: Account) {
    current.rotate();
    current.set('user', 'Ada');
  }

  @Post('/sign-out')
  signOut(@Ctx() ctx: Context) {
    (ctx.state.session as Account).destroy();
  }

  @Get()
  @UseGuard(signedIn)
  read(@CurrentSession current: Account) {
    return current.get('user');
  }
}

describe.each<[string, SessionOptions]>([
  ['in a cookie', { keys: [NEW_KEY] }],
  ['in a store', { store: createMemoryStore() }],
])('a session %s', (_, options) => {
  it('reaches the guards and the methods of a class', async () => {
    const router = createRouter();
    registerController(router, AccountController);
    const app = createApp().use(errorHandler(), session(options)).route('/', router);
    let Cookie = '';
    const send = async (method: string, path: string) => {
      const response = await app.request(`/account${path}`, { method, headers: { Cookie } });
      const [line] = response.headers.getSetCookie();
      Cookie = line?.replace(/;.*/, '') ?? Cookie;
      return response;
    };
    expect((await send('GET', '')).status).toBe(401);
    expect((await send('POST', '/sign-in')).status).toBe(204);
    expect(await (await send('GET', '')).json()).toBe('Ada');
    expect((await send('POST', '/sign-out')).status).toBe(204);
    expect((await send('GET', '')).status).toBe(401);
  });
});
