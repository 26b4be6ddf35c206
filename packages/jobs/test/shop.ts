import { openSqlite } from '@fairlead/store';
import { jobsMigration, jobsStatements, prepareJobs } from '../src/store.js';

/** Opens a file whose orders add jobs. */
export function openShop(path: string) {
  return openSqlite(path, {
    program: 'shop',
    setting: 'DATABASE_URL',
    applicationId: 7,
    timeout: 60_000,
    migrations: [
      jobsMigration,
      `CREATE TABLE effects (item TEXT NOT NULL) STRICT;
       CREATE TABLE sold (item TEXT NOT NULL) STRICT;
       CREATE TABLE orders (item TEXT PRIMARY KEY) STRICT;
       CREATE TRIGGER order_added AFTER INSERT ON orders BEGIN
         INSERT INTO jobs (name, payload) VALUES ('seen', json_object('item', new.item));
       END`,
    ],
    statements: {
      ...jobsStatements,
      addOrder: 'INSERT INTO orders VALUES (?)',
      addEffect: 'INSERT INTO effects VALUES (?)',
      sell: 'INSERT INTO sold VALUES (?)',
    },
    prepare(database) {
      const effects = database.prepare('SELECT item FROM effects');
      const sold = database.prepare('SELECT item FROM sold');
      const open = database.prepare('SELECT count(*) AS count FROM jobs');
      return {
        ...prepareJobs(database),
        effects: () => effects.all().map(({ item }) => String(item)),
        sold: () => sold.all().map(({ item }) => String(item)),
        open: () => Number(open.get()?.count),
      };
    },
  });
}
