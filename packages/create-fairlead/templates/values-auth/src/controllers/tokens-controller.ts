import { defineController } from '@fairlead/controllers';
import { UnauthorizedError } from '@fairlead/core';
import { Public } from '@fairlead/jwt/controllers';
import { rateLimit } from '@fairlead/rate-limit';
import { Accounts } from '../accounts.ts';
import { Refresh, SignIn, Token } from '../schemas.ts';
import { SignIns } from '../sign-ins.ts';
import { Tokens } from '../tokens.ts';

export const tokensController = defineController('/tokens', {
  inject: { accounts: Accounts, signIns: SignIns, tokens: Tokens },
  routes: ({ post }) => ({
    create: post(
      '/',
      {
        body: SignIn,
        response: { 201: Token },
        metadata: [Public('Nobody has a token before signing in.')],
        middleware: [rateLimit({ name: 'sign-in', points: 10, duration: 60, count: 'failures' })],
      },
      async ({ body }, { accounts, signIns, tokens }) => {
        const account = await accounts.signIn(body);
        if (account === undefined)
          throw new UnauthorizedError('The address or the password is wrong.');
        return { ...(await tokens.issue(account)), refreshToken: await signIns.begin(account) };
      },
    ),

    refresh: post(
      '/refresh',
      {
        body: Refresh,
        response: { 201: Token },
        metadata: [Public('Tokens may have expired.')],
        middleware: [rateLimit({ name: 'refresh', points: 10, duration: 60, count: 'failures' })],
      },
      async ({ body }, { signIns, tokens }) => {
        const renewed = await signIns.renew(body.refreshToken);
        if (renewed === undefined) throw new UnauthorizedError('Sign in again.');
        const { account, refreshToken } = renewed;
        return { ...(await tokens.issue(account)), refreshToken };
      },
    ),

    signOut: post(
      '/sign-out',
      { body: Refresh, status: 204, metadata: [Public('Tokens may have expired.')] },
      async ({ body }, { signIns }) => {
        await signIns.end(body.refreshToken);
      },
    ),
  }),
});
