import { ServiceUnavailableError } from '@fairlead/core';
import { token } from '@fairlead/di';
// #if jobs
import { jobsMigration, jobsStatements, prepareJobs } from '@fairlead/jobs/store';
// #endif
import { openSqlite } from '@fairlead/store';
import type { Config } from './config.js';

export type Database = Pick<ReturnType<typeof openDatabase>, 'read' | 'write' | 'check'>;
export const DATABASE = token<Database>('Database');

const TASK = 'id, title, done, created_at AS createdAt';
// #if auth
const ACCOUNT = 'id, email, role';
// #endif

export function openDatabase({ DATABASE_PATH }: Config, logger: Pick<Console, 'warn'>) {
  return openSqlite(DATABASE_PATH, {
    program: '{{name}}',
    setting: 'DATABASE_PATH',
    applicationId: 0x7461736b, // "task" in ASCII
    warn: (error) => logger.warn(error),
    // To change the schema, append a migration. Never edit one that you have released.
    migrations: [
      `CREATE TABLE tasks (
         id INTEGER PRIMARY KEY AUTOINCREMENT,
         title TEXT NOT NULL,
         done INTEGER NOT NULL DEFAULT 0,
         created_at TEXT NOT NULL
       ) STRICT`,
      // #if auth
      `CREATE TABLE accounts (
         id INTEGER PRIMARY KEY AUTOINCREMENT,
         email TEXT NOT NULL UNIQUE,
         role TEXT NOT NULL,
         password TEXT NOT NULL
       ) STRICT`,
      `CREATE TABLE sign_ins (
         id TEXT PRIMARY KEY,
         account INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
         hash TEXT NOT NULL,
         expires INTEGER NOT NULL
       ) STRICT`,
      // #endif
      // #if jobs
      jobsMigration,
      // A new task and its job are stored together, or not at all.
      `CREATE TRIGGER task_created AFTER INSERT ON tasks BEGIN
         INSERT INTO jobs (name, payload) VALUES ('task-created', json_object(
           'id', new.id, 'title', new.title, 'done', json('false'), 'createdAt', new.created_at
         ));
       END`,
      // #endif
    ],
    statements: {
      // #if jobs
      ...jobsStatements,
      // #endif
      createTask: `INSERT INTO tasks (title, created_at) VALUES (?, ?) RETURNING ${TASK}`,
      updateTask: `UPDATE tasks SET title = coalesce(?, title), done = coalesce(?, done)
                   WHERE id = ? RETURNING ${TASK}`,
      deleteTask: 'DELETE FROM tasks WHERE id = ? RETURNING id',
      // #if auth
      createAccount: `INSERT INTO accounts (email, role, password) VALUES (?, ?, ?)
                      ON CONFLICT DO NOTHING RETURNING ${ACCOUNT}`,
      createSignIn: 'INSERT INTO sign_ins (id, account, hash, expires) VALUES (?, ?, ?, ?)',
      renewSignIn: `UPDATE sign_ins SET hash = ? WHERE id = ? AND hash = ? AND expires > ?
                    RETURNING account`,
      deleteSignIn: 'DELETE FROM sign_ins WHERE id = ?',
      deleteExpiredSignIns: 'DELETE FROM sign_ins WHERE expires <= ?',
      // #endif
    },
    prepare: (database) => ({
      // #if jobs
      ...prepareJobs(database),
      // #endif
      listTasks: database.prepare(`SELECT ${TASK} FROM tasks ORDER BY id LIMIT ? OFFSET ?`),
      findTask: database.prepare(`SELECT ${TASK} FROM tasks WHERE id = ?`),
      // #if auth
      listAccounts: database.prepare(`SELECT ${ACCOUNT} FROM accounts ORDER BY id`),
      findAccount: database.prepare(`SELECT ${ACCOUNT} FROM accounts WHERE id = ?`),
      findAccountByEmail: database.prepare(
        `SELECT ${ACCOUNT}, password FROM accounts WHERE email = ?`,
      ),
      // #endif
    }),
  });
}

const refuse = (): never => {
  throw new ServiceUnavailableError('There is no database offline.');
};
/** Stands in for the database in commands that need none. */
export const OFFLINE: Database = { read: refuse, write: refuse, check: refuse };
