import { type Kind, kind } from '@fairlead/options';
import { codeOf } from './adapter.js';

/** Accepts names of tables that need no quotes. */
export const tableName: Kind = kind('a name of lower-case letters, digits and underscores', isName);

function isName(value: unknown): boolean {
  return typeof value === 'string' && /^[a-z_][a-z\d_]{0,49}$/.test(value);
}

/** The code of PostgreSQL for a table that does not exist. */
const UNDEFINED_TABLE = '42P01';

/**
 * Explains the error of a statement on a table that may be missing.
 *
 * @param create - The function that returns the statements of the table.
 */
export function explainMissingTable(error: unknown, table: string, create: string): unknown {
  if (codeOf(error) !== UNDEFINED_TABLE) return error;
  const message = `The database has no table ${table}. Run the statements that ${create} returns, in a migration.`;
  return new Error(message, { cause: error });
}

/** @throws {TypeError} For a name that would need quotes, or is longer than 50 characters. */
export function assertTable(call: string, table: unknown): void {
  if (!isName(table)) throw new TypeError(`${call} cannot use the name '${table}'.`);
}
