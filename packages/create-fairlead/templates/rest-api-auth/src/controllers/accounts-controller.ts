import { Body, Controller, Ctx, Get, Post, UseMiddleware } from '@fairlead/controllers';
import { ConflictError, type Context, NotFoundError } from '@fairlead/core';
import { Public, Roles } from '@fairlead/jwt/controllers';
import { rateLimit } from '@fairlead/rate-limit';
import { z } from 'zod';
import { Accounts } from '../accounts.js';
import { Account, Credentials } from '../schemas.js';
import { Tokens } from '../tokens.js';

const tags = ['accounts'];

@Controller('/accounts')
export class AccountsController {
  constructor(
    private readonly accounts: Accounts,
    private readonly tokens: Tokens,
  ) {}

  @Post('/', { summary: 'Sign up', tags, response: { 201: Account } })
  @Public('Nobody has a token before signing up.')
  @UseMiddleware(rateLimit({ name: 'sign-up', points: 10, duration: 60 }))
  async create(@Body({ schema: Credentials }) credentials: Credentials) {
    const account = await this.accounts.create(credentials, 'user');
    if (account === undefined) throw new ConflictError('This address already has an account.');
    return account;
  }

  @Get('/me', { summary: 'Show your account', tags, response: Account })
  async me(@Ctx() ctx: Context) {
    const { sub } = this.tokens.auth.token(ctx).claims;
    const account = await this.accounts.find(sub);
    if (account === undefined) throw new NotFoundError('Your account no longer exists.');
    return account;
  }

  @Get('/', { summary: 'List accounts', tags, response: z.array(Account) })
  @Roles('admin')
  list() {
    return this.accounts.list();
  }
}
