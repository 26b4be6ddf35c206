// #if compiled
import { Inject, Service } from '@fairlead/di';
// #endif
import { DATABASE, type Database } from './database.js';
import { Passwords } from './passwords.js';
import { Account, type Credentials, type Role } from './schemas.js';

const COLUMNS = 'id, email, role';

/** The accounts in PostgreSQL. */
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

  list(): Promise<Account[]> {
    return this.database.query<Account>(`SELECT ${COLUMNS} FROM accounts ORDER BY id`);
  }

  async find(id: number): Promise<Account | undefined> {
    const text = `SELECT ${COLUMNS} FROM accounts WHERE id = $1`;
    const [account] = await this.database.query<Account>(text, [id]);
    return account;
  }

  /** Returns undefined if the address already has an account. */
  async create({ email, password }: Credentials, role: Role): Promise<Account | undefined> {
    // The statement handles concurrent calls, but consumes an ID for each of them.
    if ((await this.#findByEmail(email)) !== undefined) return undefined;
    const text = `INSERT INTO accounts (email, role, password) VALUES ($1, $2, $3)
                  ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`;
    const values = [email, role, await this.passwords.hash(password)];
    const [account] = await this.database.query<Account>(text, values);
    return account;
  }

  /** Returns the account, or undefined if the address or the password is wrong. */
  async signIn({ email, password }: Credentials): Promise<Account | undefined> {
    const row = await this.#findByEmail(email);
    const hash = row?.password ?? (await this.#otherHash);
    const isCorrect = await this.passwords.verify(password, hash);
    return isCorrect ? Account.optional().parse(row) : undefined;
  }

  async #findByEmail(email: string) {
    const text = `SELECT ${COLUMNS}, password FROM accounts WHERE email = $1`;
    const [row] = await this.database.query<Account & { password: string }>(text, [email]);
    return row;
  }
}
