import { Inject, Service, token } from '@fairlead/di';
import { openSqlite } from '@fairlead/store';
import { z } from 'zod';
import { Passwords } from './passwords.js';

export const Role = z.enum(['user', 'admin']);
export const Account = z.object({ id: z.int(), email: z.string(), role: Role });
export const Credentials = z.object({
  email: z.email().max(254).toLowerCase(),
  password: z.string().min(12).max(128),
});
/** Accepts any string, so that new password rules do not lock anyone out. */
export const SignIn = z.object({ email: z.string().toLowerCase(), password: z.string() });

export type Role = z.infer<typeof Role>;
export type Account = z.infer<typeof Account>;
export type Credentials = z.infer<typeof Credentials>;

export type Database = Pick<ReturnType<typeof openDatabase>, 'read' | 'write' | 'check'>;
export const DATABASE = token<Database>('Database');

const COLUMNS = 'id, email, role';

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
    return this.database.read(({ list }) => list.all()).map((row) => Account.parse(row));
  }

  find(id: number): Account | undefined {
    return Account.optional().parse(this.database.read(({ find }) => find.get(id)));
  }

  /** Returns undefined if the address already has an account. */
  async create({ email, password }: Credentials, role: Role): Promise<Account | undefined> {
    // The statement handles concurrent calls, but consumes an ID for each of them.
    if (this.#findByEmail(email) !== undefined) return undefined;
    const hash = await this.passwords.hash(password);
    return Account.optional().parse(await this.database.write('create', email, role, hash));
  }

  /** Returns the account, or undefined if the address or the password is wrong. */
  async signIn({ email, password }: Credentials): Promise<Account | undefined> {
    const row = this.#findByEmail(email);
    const hash = row === undefined ? await this.#otherHash : String(row.password);
    const isCorrect = await this.passwords.verify(password, hash);
    return isCorrect ? Account.optional().parse(row) : undefined;
  }

  #findByEmail(email: string) {
    return this.database.read(({ findByEmail }) => findByEmail.get(email));
  }
}

export function openDatabase(path: string) {
  return openSqlite(path, {
    program: 'auth',
    setting: 'DATABASE_PATH',
    applicationId: 0x61757468, // "auth" in ASCII
    // To change the schema, append a migration. Never edit one that you have released.
    migrations: [
      `CREATE TABLE accounts (
         id INTEGER PRIMARY KEY AUTOINCREMENT,
         email TEXT NOT NULL UNIQUE,
         role TEXT NOT NULL,
         password TEXT NOT NULL
       ) STRICT`,
    ],
    statements: {
      create: `INSERT INTO accounts (email, role, password) VALUES (?, ?, ?)
               ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`,
    },
    prepare: (database) => ({
      list: database.prepare(`SELECT ${COLUMNS} FROM accounts ORDER BY id`),
      find: database.prepare(`SELECT ${COLUMNS} FROM accounts WHERE id = ?`),
      findByEmail: database.prepare(`SELECT ${COLUMNS}, password FROM accounts WHERE email = ?`),
    }),
  });
}
