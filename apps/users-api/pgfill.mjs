import { PostgresUserStore } from './dist/users/store/postgres/postgres-user-store.js';
import pg from 'pg';
const url='postgres://postgres:password@127.0.0.1:45871/postgres';
const s = await PostgresUserStore.open(url); 
const c = new pg.Client({connectionString:url}); await c.connect();
await c.query(`insert into users select n, gen_random_uuid(), 'User '||n, 'user'||n||'@example.com', now(), now() from generate_series(1,1000000) n`);
await c.query('update users_counter set position=1000000,total=1000000'); await c.query('vacuum analyze users');
for (const offset of [0,1000,500000,999990]) { await s.page({offset,limit:10}); const t=performance.now(); const p=await s.page({offset,limit:10}); console.log('page',offset,(performance.now()-t).toFixed(2),p.users.length,p.total,p.users[0]?.name); }
console.log((await c.query('explain analyze SELECT position FROM users ORDER BY position LIMIT 10 OFFSET 900000')).rows.map(r=>r['QUERY PLAN']).join('\n'));
const t=performance.now(); console.log(await s.find((await s.page({offset:5,limit:1})).users[0].id), performance.now()-t);
await c.end(); await s.close();
