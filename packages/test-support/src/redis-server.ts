import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A Redis server for one test file. It stores nothing on disk. */
export interface RedisServer {
  /** Its Unix socket: `createClient({ socket: { path } })`. */
  readonly path: string;
  /** Kills the server, as in an outage. */
  kill(): Promise<void>;
  /** Starts it again, empty, on the same socket. */
  start(): Promise<void>;
  /** Kills the server and deletes its folder. */
  stop(): Promise<void>;
}

/**
 * Starts a server and waits until it accepts connections.
 *
 * @throws When `redis-server` is not installed.
 */
export async function startRedis(): Promise<RedisServer> {
  const path = join(await mkdtemp(join(tmpdir(), 'fairlead-redis-')), 'redis.sock');
  let server = await run(path);
  const kill = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill('SIGKILL');
    await once(server, 'exit');
  };
  return {
    path,
    kill,
    start: async () => {
      await kill();
      server = await run(path);
    },
    stop: async () => {
      await kill();
      await rm(dirname(path), { recursive: true, force: true });
    },
  };
}

async function run(path: string): Promise<ChildProcess> {
  const settings = ['--port', '0', '--unixsocket', path, '--save', '', '--appendonly', 'no'];
  const server = spawn('redis-server', settings, { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise<void>((resolve, reject) => {
    let log = '';
    server.stdout.setEncoding('utf8').on('data', (text: string) => {
      log += text;
      if (/ready to accept connections/i.test(log)) resolve();
    });
    server.once('exit', () => reject(new Error(`redis-server exited: ${log}`)));
    server.once('error', (cause) => {
      const fix = 'Install it, such as with apt-get install redis-server.';
      reject(new Error(`These tests need redis-server. ${fix}`, { cause }));
    });
  });
  return server;
}
