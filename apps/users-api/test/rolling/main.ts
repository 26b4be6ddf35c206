import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freePort } from '@fairlead/test-support/free-port';
import { Database } from '../chaos/fleet/database.js';
import { Service } from '../chaos/fleet/service.js';
import { APP } from '../support/built-program.js';
import { Load } from './load.js';

const GUIDE = readFileSync(join(APP, '../../docs/guides/many-instances.md'), 'utf8');

/** What the clients connect to. */
interface Front {
  /** Environment variables of each instance. */
  readonly instances: readonly Readonly<Record<string, string>>[];
  /** The balancer's command, and its configuration. Without it, clients connect to the instances. */
  readonly balancer?: { readonly command: readonly string[]; readonly config: string };
  /** Milliseconds between an instance that is ready and the next restart. */
  readonly pause: number;
}

const { values } = parseArgs({
  // pnpm passes on the "--" before the options.
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    front: { type: 'string', default: 'shared' },
    restarts: { type: 'string', default: '20' },
    connections: { type: 'string', default: '32' },
  },
});
const [port, upstream, operations] = [await freePort(), await freePort(), await freePort()];
const front = createFront(values.front);
const folder = mkdtempSync(join(tmpdir(), 'users-api-rolling-'));
const database = await Database.start();
const services: Service[] = [];
let balancer: ChildProcess | undefined;
try {
  const start = async (slot: number) => {
    const env = { ...front.instances[slot], DATABASE_URL: database.url };
    services[slot] = await Service.start(`instance ${slot}`, env);
  };
  for (const slot of front.instances.keys()) await start(slot);
  if (front.balancer) {
    const path = join(folder, 'balancer.conf');
    writeFileSync(path, front.balancer.config);
    const [program = '', ...args] = front.balancer.command;
    balancer = spawn(program, [...args, path], { stdio: 'inherit' });
    await untilListening(port);
  }
  const load = new Load(port, Number(values.connections));
  for (let restart = 0; restart < Number(values.restarts); restart += 1) {
    const slot = restart % services.length;
    await services[slot]?.stop();
    await start(slot);
    await delay(front.pause);
  }
  await load.stop();
  const { answered, failures } = load;
  console.log(`${values.front}: ${values.restarts} restarts, ${answered} requests, failures:`);
  console.log(failures.size === 0 ? 'none' : Object.fromEntries(failures));
} finally {
  await Promise.all(services.map((service) => service.kill()));
  balancer?.kill('SIGTERM');
  await database.remove();
  rmSync(folder, { recursive: true });
}

function createFront(name: string): Front {
  const instance = { PORT: String(upstream), OPERATIONS_PORT: String(operations) };
  const machines = ['127.0.0.11', '127.0.0.12'].map((HOST) => ({ ...instance, HOST }));
  const sharing = [operations, operations + 1].map((own) => ({
    PORT: String(name === 'shared' ? port : upstream),
    OPERATIONS_PORT: String(own),
    REUSE_PORT: 'on',
  }));
  const nginx = (config: string) => ({
    command: ['nginx', '-p', tmpdir(), '-g', 'daemon off; error_log stderr crit;', '-c'],
    config: `events {}\nhttp {\naccess_log off;\n${local(config).replace(/listen 443 .*/, `listen 127.0.0.1:${port};`)}}\n`,
  });
  switch (name) {
    case 'shared':
      return { instances: sharing, pause: 0 };
    case 'nginx-shared': {
      const config = example('nginx').replace(
        /^ *server 10\.[^}]*?;\n(?= *keep)/m,
        '  server 127.0.0.1:8080;\n',
      );
      return { instances: sharing, balancer: nginx(config), pause: 0 };
    }
    case 'nginx':
      return { instances: machines, balancer: nginx(example('nginx')), pause: 3_000 };
    case 'haproxy': {
      const config = readFileSync(join(APP, 'deploy/haproxy.cfg'), 'utf8')
        .replace(/^ {2}server-template .*\n/m, () => example('haproxy'))
        .replace('bind :8080', `bind 127.0.0.1:${port}`);
      return {
        instances: machines.map((machine) => ({ ...machine, SHUTDOWN_DELAY: '4000' })),
        balancer: { command: ['haproxy', '-q', '-db', '-f'], config: local(config) },
        pause: 3_000,
      };
    }
    default:
      throw new Error('--front must be shared, nginx-shared, nginx or haproxy.');
  }
}

/** Replaces the addresses of the guide by addresses of this machine. */
function local(config: string): string {
  return config
    .replaceAll(/10\.0\.0\.(1\d):8080/g, `127.0.0.$1:${upstream}`)
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${upstream}`)
    .replace('9090', String(operations));
}

/** Returns the first example of the guide in a language. */
function example(language: string): string {
  const [, code] = GUIDE.split(`\`\`\`${language}\n`);
  if (code === undefined) throw new Error(`The guide has no example in ${language}.`);
  return code.slice(0, code.indexOf('```'));
}

async function untilListening(on: number): Promise<void> {
  for (;;) {
    const socket = connect(on, '127.0.0.1');
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    await delay(50);
  }
}
