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
    const expires = new Date(Date.now() + SIGN_IN_LIFETIME);
    await this.database.query('DELETE FROM sign_ins WHERE expires <= now()');
    const text = 'INSERT INTO sign_ins (id, account, hash, expires) VALUES ($1, $2, $3, $4)';
    await this.database.query(text, [id, account, hash, expires]);
    return token;
  }

  /**
   * Exchanges a refresh token, which works once. If it was used before, somebody has copied it: its sign-in ends, for the
   * thief and the owner.
   */
  async renew(token: string): Promise<{ account: Account; refreshToken: string } | undefined> {
    const { id, hash } = readRefreshToken(token);
    const refreshToken = createRefreshToken(id);
    // Of two calls with the same token, one succeeds.
    const text = `UPDATE sign_ins SET hash = $3 WHERE id = $1 AND hash = $2 AND expires > now()
                  RETURNING account`;
    const values = [id, hash, readRefreshToken(refreshToken).hash];
    const [row] = await this.database.query<{ account: number }>(text, values);
    if (row === undefined) await this.end(token);
    const account = row && (await this.accounts.find(row.account));
    return account && { account, refreshToken };
  }

  async end(token: string): Promise<void> {
    const { id } = readRefreshToken(token);
    await this.database.query('DELETE FROM sign_ins WHERE id = $1', [id]);
  }
}
