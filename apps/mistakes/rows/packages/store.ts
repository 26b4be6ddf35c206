import { openSqlite } from '@fairlead/store';
import { area } from '../../src/mistake.js';

const mistake = area('Options of @fairlead/store');

const STORE = {
  program: 'notes',
  setting: 'NOTES_FILE',
  applicationId: 7,
  migrations: ['CREATE TABLE notes (text TEXT) STRICT'],
  statements: { add: 'INSERT INTO notes VALUES (?)' },
  prepare: () => ({}),
};

mistake(
  '`openSqlite(path)` without options',
  { compiler: 'arguments', startup: 'needs the option migrations' },
  () => openSqlite('notes.db'),
);

mistake(
  '`openSqlite(process.env.NOTES_FILE, …)`, which is not set',
  { compiler: "'undefined'", startup: 'path of openSqlite() must be the path of a file' },
  () => openSqlite(process.env.NOTES_FILE, STORE),
);

mistake(
  '`openSqlite(path, { migrate })`',
  { compiler: "'migrate'", startup: "has no option 'migrate'" },
  () => openSqlite('notes.db', { ...STORE, migrate: true }),
);

mistake(
  '`openSqlite(path, { migrations })` with one text instead of an array',
  { compiler: "'string'", startup: 'a non-empty array of SQL' },
  () => openSqlite('notes.db', { ...STORE, migrations: 'CREATE TABLE notes (text TEXT) STRICT' }),
);

mistake(
  "`openSqlite(path, { timeout: '5s' })`",
  { compiler: "'string'", startup: 'integer number of milliseconds' },
  () => openSqlite('notes.db', { ...STORE, timeout: '5s' }),
);
