import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { here, run } from './project.js';

/** A registry of this machine, which forwards all names but those of this repository. */
export interface Registry {
  /** Ends with a slash. */
  readonly url: string;
  /** The environment of package managers that know no other registry, and share no cache with others. */
  readonly env: NodeJS.ProcessEnv;
  /** The folder that contains the package managers. */
  readonly tools: string;
  stop(): Promise<void>;
}

const LOCAL = ['127.0.0.1', '[::1]', 'localhost'];

/**
 * Checks that a registry is on this machine.
 *
 * @throws {Error} For any other registry.
 */
export function assertLocal(registry: string): void {
  const { protocol, hostname } = new URL(registry);
  if (protocol === 'http:' && LOCAL.includes(hostname)) return;
  throw new Error(`Cannot rehearse a release with ${registry}: use a registry on this machine.`);
}

/**
 * Installs the package managers, starts a registry, and creates a user who may publish.
 *
 * @param folder - An empty folder for everything that they store.
 */
export async function startRegistry(folder: string): Promise<Registry> {
  const tools = join(folder, 'tools');
  await cp(join(here, 'fixtures/release/tools'), tools, { recursive: true });
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline'], tools);
  const { stdout } = await run('npm', ['config', 'get', 'registry'], tools);
  const data = join(folder, 'registry');
  await mkdir(data);
  const child = spawn(process.execPath, ['registry.js', data, stdout.trim()], {
    cwd: tools,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout);
  const exit = once(child, 'exit');
  const started = await Promise.race([once(lines, 'line'), exit]);
  const url = String(started[0]);
  assertLocal(url);
  const home = join(folder, 'home');
  await mkdir(home);
  const token = await createUser(url);
  const settings = [`registry=${url}`, `${url.replace('http:', '')}:_authToken=${token}`];
  await writeFile(join(home, '.npmrc'), settings.join('\n'));
  return {
    url,
    tools,
    env: environment(tools, home, url),
    async stop() {
      child.kill();
      await exit;
    },
  };
}

/** Creates a user of the registry, and returns the token to publish with. */
async function createUser(url: string): Promise<string> {
  const user = { name: 'release', password: 'rehearsal' };
  const response = await fetch(new URL(`-/user/org.couchdb.user:${user.name}`, url), {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(user),
  });
  if (!response.ok) throw new Error(`Cannot create a user of ${url}: ${await response.text()}`);
  const { token } = (await response.json()) as { readonly token: string };
  return token;
}

/** Replaces the settings of package managers in the environment. */
function environment(tools: string, home: string, url: string): NodeJS.ProcessEnv {
  const foreign = /^(?:npm|pnpm|yarn|bun|xdg)_|^(?:CI|INIT_CWD)$/i;
  const kept = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  return {
    ...Object.fromEntries(kept),
    HOME: home,
    PATH: [join(tools, 'node_modules/.bin'), process.env.PATH].join(':'),
    npm_config_registry: url,
    pnpm_config_registry: url,
    // The copy of the repository has only installed what its build needs.
    pnpm_config_verify_deps_before_run: 'false',
    YARN_REGISTRY: url,
    YARN_NPM_REGISTRY_SERVER: url,
    YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1',
    YARN_ENABLE_TELEMETRY: '0',
    BUN_CONFIG_REGISTRY: url,
    TURBO_TELEMETRY_DISABLED: '1',
    GIT_AUTHOR_NAME: 'Rehearsal',
    GIT_AUTHOR_EMAIL: 'rehearsal@localhost',
    GIT_COMMITTER_NAME: 'Rehearsal',
    GIT_COMMITTER_EMAIL: 'rehearsal@localhost',
  };
}
