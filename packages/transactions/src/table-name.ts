import { type Kind, kind } from '@fairlead/options';

/** Accepts names of tables that need no quotes. */
export const tableName: Kind = kind('a name of lower-case letters, digits and underscores', isName);

function isName(value: unknown): boolean {
  return typeof value === 'string' && /^[a-z_][a-z\d_]{0,49}$/.test(value);
}

/** @throws {TypeError} For a name that would need quotes, or is longer than 50 characters. */
export function assertTable(call: string, table: unknown): void {
  if (!isName(table)) throw new TypeError(`${call} cannot use the name '${table}'.`);
}
