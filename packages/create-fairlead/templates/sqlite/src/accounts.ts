// #if auth
import { Inject, Service } from '@fairlead/di';
import { z } from 'zod';
import { DATABASE, type Database } from './database.js';
import { Passwords } from './passwords.js';

export const Role = z.enum(['user', 'admin']);
export const Account = z
  .object({ id: z.int(), email: z.string(), role: Role })
  .meta({ id: 'Account' });
export const Credentials = z.object({
  email: z.email().max(254).toLowerCase(),
  password: z.string().min(12).max(128),
});
/** Accepts any password, so that new rules do not lock anyone out. */
export const SignIn = Credentials.extend({ password: z.string() });

export type Role = z.infer<typeof Role>;
export type Account = z.infer<typeof Account>;
export type Credentials = z.infer<typeof Credentials>;

/** The accounts in an SQLite file. */
@Service()
export class Accounts {
  /** Makes signing in to an unknown account as slow as to a known one. */
  readonly #otherHash: Promise<string>;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    private readonly passwords: Passwords,
  ) {
    this.#otherHash = passwords.hash('');
  }

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
// #endif
