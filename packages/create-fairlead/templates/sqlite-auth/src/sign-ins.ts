// #if compiled
import { Inject, Service } from '@fairlead/di';
// #endif
import { Accounts } from './accounts.js';
import { DATABASE, type Database } from './database.js';
import { createRefreshToken, readRefreshToken, SIGN_IN_LIFETIME } from './refresh-token.js';
import type { Account } from './schemas.js';

/** Who is signed in: an account, with the hash of its newest refresh token. */
// #if compiled
@Service()
// #endif
export class SignIns {
  // #if compiled
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    private readonly accounts: Accounts,
  ) {}
  // #endif
  // #if stripped
  static readonly inject = [DATABASE, Accounts] as const;

  private readonly database: Database;
  private readonly accounts: Accounts;

  constructor(database: Database, accounts: Accounts) {
    this.database = database;
    this.accounts = accounts;
  }
  // #endif

  /** Returns the first refresh token of a sign-in. */
  async begin({ id: account }: Account): Promise<string> {
    const token = createRefreshToken();
    const { id, hash } = readRefreshToken(token);
    await this.database.write('deleteExpiredSignIns', Date.now());
    await this.database.write('createSignIn', id, account, hash, Date.now() + SIGN_IN_LIFETIME);
    return token;
  }

  /**
   * Exchanges a refresh token, which works once. If it was used before, somebody has copied it: its sign-in ends, for the
   * thief and the owner.
   */
  async renew(token: string): Promise<{ account: Account; refreshToken: string } | undefined> {
    const { id, hash } = readRefreshToken(token);
    const refreshToken = createRefreshToken(id);
    const newHash = readRefreshToken(refreshToken).hash;
    // Of two calls with the same token, one succeeds.
    const row = await this.database.write('renewSignIn', newHash, id, hash, Date.now());
    if (row === undefined) await this.end(token);
    const account = row && this.accounts.find(Number(row.account));
    return account && { account, refreshToken };
  }

  async end(token: string): Promise<void> {
    await this.database.write('deleteSignIn', readRefreshToken(token).id);
  }
}
