// #if compiled
import { Inject, Service } from '@fairlead/di';
// #endif
import { DATABASE, type Database } from './database.js';
import { Passwords } from './passwords.js';
import { Account, type Credentials, type Role } from './schemas.js';

/** The accounts in an SQLite file. */
// #if compiled
@Service()
// #endif
export class Accounts {
  // #if stripped
  static readonly inject = [DATABASE, Passwords] as const;

  private readonly database: Database;
  private readonly passwords: Passwords;
  // #endif
  /** Makes signing in to an unknown account as slow as to a known one. */
  readonly #otherHash: Promise<string>;

  // #if compiled
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    private readonly passwords: Passwords,
  ) {
    this.#otherHash = passwords.hash('');
  }
  // #endif
  // #if stripped
  constructor(database: Database, passwords: Passwords) {
    this.database = database;
    this.passwords = passwords;
    this.#otherHash = passwords.hash('');
  }
  // #endif

  list(): Account[] {
    return this.database
      .read(({ listAccounts }) => listAccounts.all())
      .map((row) => Account.parse(row));
  }

  find(id: number): Account | undefined {
    return Account.optional().parse(this.database.read(({ findAccount }) => findAccount.get(id)));
  }

  /** Returns undefined if the address already has an account. */
  async create({ email, password }: Credentials, role: Role): Promise<Account | undefined> {
    // The statement handles concurrent calls, but consumes an ID for each of them.
    if (this.#findByEmail(email) !== undefined) return undefined;
    const hash = await this.passwords.hash(password);
    return Account.optional().parse(await this.database.write('createAccount', email, role, hash));
  }

  /** Returns the account, or undefined if the address or the password is wrong. */
  async signIn({ email, password }: Credentials): Promise<Account | undefined> {
    const row = this.#findByEmail(email);
    const hash = row === undefined ? await this.#otherHash : String(row.password);
    const isCorrect = await this.passwords.verify(password, hash);
    return isCorrect ? Account.optional().parse(row) : undefined;
  }

  #findByEmail(email: string) {
    return this.database.read(({ findAccountByEmail }) => findAccountByEmail.get(email));
  }
}
