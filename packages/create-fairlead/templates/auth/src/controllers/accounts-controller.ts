import { Body, Controller, Ctx, Get, Post, UseMiddleware } from '@fairlead/controllers';
import { ConflictError, type Context, NotFoundError } from '@fairlead/core';
import { Public, Roles } from '@fairlead/jwt/controllers';
import { rateLimit } from '@fairlead/rate-limit';
import { Accounts, Credentials } from '../accounts.js';
import { Tokens } from '../tokens.js';

@Controller('/accounts')
export class AccountsController {
  constructor(
    private readonly accounts: Accounts,
    private readonly tokens: Tokens,
  ) {}

  /** Signs up. */
  @Post('/', { status: 201 })
  @Public()
  @UseMiddleware(rateLimit({ name: 'sign-up', points: 10, duration: 60 }))
  async create(@Body({ schema: Credentials }) credentials: Credentials) {
    const account = await this.accounts.create(credentials, 'user');
    if (account === undefined) throw new ConflictError('This address already has an account.');
    return account;
  }

  @Get('/me')
  me(@Ctx() ctx: Context) {
    const { sub } = this.tokens.auth.token(ctx).claims;
    const account = this.accounts.find(sub);
    if (account === undefined) throw new NotFoundError('Your account no longer exists.');
    return account;
  }

  @Get('/')
  @Roles('admin')
  list() {
    return this.accounts.list();
  }
}
