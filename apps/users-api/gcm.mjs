import { PostgresUserStore } from './dist/users/store/postgres/postgres-user-store.js';
const s = await PostgresUserStore.open(process.argv[2]); let n=0; let max={};
const m0=process.memoryUsage(); console.log(m0);
for await (const b of s.list()) { n+=b.length; if (n%20000===0) { const m=process.memoryUsage(); for (const k in m) max[k]=Math.max(max[k]??0,m[k]); } }
console.log(n, Object.fromEntries(Object.entries(max).map(([k,v])=>[k,((v-m0[k])/1e6)|0]))); await s.close();
