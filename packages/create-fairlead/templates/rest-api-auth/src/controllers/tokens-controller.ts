import { Body, Controller, Post, UseMiddleware } from '@fairlead/controllers';
import { UnauthorizedError } from '@fairlead/core';
import { Public } from '@fairlead/jwt/controllers';
import { rateLimit } from '@fairlead/rate-limit';
import { Accounts } from '../accounts.js';
import { type Credentials, Refresh, SignIn, Token } from '../schemas.js';
import { SignIns } from '../sign-ins.js';
import { Tokens } from '../tokens.js';

const tags = ['accounts'];

@Controller('/tokens')
export class TokensController {
  constructor(
    private readonly accounts: Accounts,
    private readonly signIns: SignIns,
    private readonly tokens: Tokens,
  ) {}

  @Post('/', { summary: 'Sign in', tags, response: { 201: Token } })
  @Public('Nobody has a token before signing in.')
  @UseMiddleware(rateLimit({ name: 'sign-in', points: 10, duration: 60, count: 'failures' }))
  async create(@Body({ schema: SignIn }) credentials: Credentials) {
    const account = await this.accounts.signIn(credentials);
    if (account === undefined) throw new UnauthorizedError('The address or the password is wrong.');
    const refreshToken = await this.signIns.begin(account);
    return { ...(await this.tokens.issue(account)), refreshToken };
  }

  @Post('/refresh', { summary: 'Exchange a refresh token', tags, response: { 201: Token } })
  @Public('Tokens may have expired.')
  @UseMiddleware(rateLimit({ name: 'refresh', points: 10, duration: 60, count: 'failures' }))
  async refresh(@Body({ schema: Refresh }) body: Refresh) {
    const renewed = await this.signIns.renew(body.refreshToken);
    if (renewed === undefined) throw new UnauthorizedError('Sign in again.');
    const { account, refreshToken } = renewed;
    return { ...(await this.tokens.issue(account)), refreshToken };
  }

  @Post('/sign-out', { summary: 'Sign out', tags, status: 204 })
  @Public('Tokens may have expired.')
  async signOut(@Body({ schema: Refresh }) { refreshToken }: Refresh) {
    await this.signIns.end(refreshToken);
  }
}
