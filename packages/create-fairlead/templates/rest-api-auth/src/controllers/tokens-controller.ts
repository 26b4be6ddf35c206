import { Body, Controller, Post, UseMiddleware } from '@fairlead/controllers';
import { UnauthorizedError } from '@fairlead/core';
import { Public } from '@fairlead/jwt/controllers';
import { rateLimit } from '@fairlead/rate-limit';
import { Accounts } from '../accounts.js';
import { type Credentials, SignIn } from '../schemas.js';
import { Token, Tokens } from '../tokens.js';

@Controller('/tokens')
export class TokensController {
  constructor(
    private readonly accounts: Accounts,
    private readonly tokens: Tokens,
  ) {}

  @Post('/', { summary: 'Sign in', tags: ['accounts'], response: { 201: Token } })
  @Public('Nobody has a token before signing in.')
  @UseMiddleware(rateLimit({ name: 'sign-in', points: 10, duration: 60, count: 'failures' }))
  async create(@Body({ schema: SignIn }) credentials: Credentials) {
    const account = await this.accounts.signIn(credentials);
    if (account === undefined) throw new UnauthorizedError('The address or the password is wrong.');
    return this.tokens.issue(account);
  }
}
