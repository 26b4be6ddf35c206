import { defineController } from '@fairlead/controllers';
import { ConflictError, NotFoundError } from '@fairlead/core';
import { Public, Roles } from '@fairlead/jwt/controllers';
import { rateLimit } from '@fairlead/rate-limit';
import { z } from 'zod';
import { Accounts } from '../accounts.ts';
import { Account, Credentials } from '../schemas.ts';
import { Tokens } from '../tokens.ts';

export const accountsController = defineController('/accounts', {
  inject: { accounts: Accounts, tokens: Tokens },
  routes: ({ get, post }) => ({
    create: post(
      '/',
      {
        body: Credentials,
        response: { 201: Account },
        metadata: [Public('Nobody has a token before signing up.')],
        middleware: [rateLimit({ name: 'sign-up', points: 10, duration: 60 })],
      },
      async ({ body }, { accounts }) => {
        const account = await accounts.create(body, 'user');
        if (account === undefined) throw new ConflictError('This address already has an account.');
        return account;
      },
    ),

    me: get('/me', { response: Account }, async (ctx, { accounts, tokens }) => {
      const { sub } = tokens.auth.token(ctx).claims;
      const account = await accounts.find(sub);
      if (account === undefined) throw new NotFoundError('Your account no longer exists.');
      return account;
    }),

    list: get(
      '/',
      { response: z.array(Account), metadata: [Roles('admin')] },
      (_ctx, { accounts }) => accounts.list(),
    ),
  }),
});
