import { defineController } from '@fairlead/controllers';
import { UnauthorizedError } from '@fairlead/core';
import { Public } from '@fairlead/jwt/controllers';
import { rateLimit } from '@fairlead/rate-limit';
import { Accounts } from '../accounts.ts';
import { SignIn } from '../schemas.ts';
import { Token, Tokens } from '../tokens.ts';

export const tokensController = defineController('/tokens', {
  inject: { accounts: Accounts, tokens: Tokens },
  routes: ({ post }) => ({
    create: post(
      '/',
      {
        body: SignIn,
        response: { 201: Token },
        metadata: [Public('Nobody has a token before signing in.')],
        middleware: [rateLimit({ name: 'sign-in', points: 10, duration: 60, count: 'failures' })],
      },
      async ({ body }, { accounts, tokens }) => {
        const account = await accounts.signIn(body);
        if (account === undefined)
          throw new UnauthorizedError('The address or the password is wrong.');
        return tokens.issue(account);
      },
    ),
  }),
});
