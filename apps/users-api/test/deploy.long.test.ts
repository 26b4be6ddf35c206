import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { freePort } from '@fairlead/test-support/free-port';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { SETTING_HELP } from '../src/config.js';
import { APP } from './support/built-program.js';
import { startProcess } from './support/service-process.js';
import { temporaryFolder } from './support/temporary-folder.js';

type Environment = Readonly<Record<string, string>>;

const ROOT = resolve(APP, '../..');
const read = (path: string): string => readFileSync(join(APP, 'deploy', path), 'utf8');

/** The first group of every match. */
function all(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, group = '']) => group);
}

const fallbackOf = (setting: string) => SETTING_HELP.find(({ name }) => name === setting)?.fallback;

const DOCKERFILE = read('Dockerfile');
const UNIT = read('users-api@.service');
const HAPROXY = read('haproxy.cfg');
const COMPOSE_TEXT = read('compose.yaml');
const COMPOSE = parse(COMPOSE_TEXT);
const [DEPLOYMENT, SERVICE, BUDGET] = parseAllDocuments(read('kubernetes.yaml')).map((document) =>
  document.toJS(),
);
const POD = DEPLOYMENT.spec.template.spec;
const [CONTAINER] = POD.containers;

/** Variables of the service. Those that refer to secrets have a name as their value. */
const ENVIRONMENTS: Readonly<Record<string, Environment>> = {
  Dockerfile: Object.fromEntries(
    all(DOCKERFILE, /^(?:ENV| {3}) *([A-Z_]+=\S+)/gm).map((variable) => variable.split('=')),
  ),
  'users-api@.service': Object.fromEntries(
    all(UNIT, /^Environment=(.+)$/gm).map((variable) => variable.split('=')),
  ),
  'compose.yaml': COMPOSE.services['users-api'].environment,
  'kubernetes.yaml': Object.fromEntries(
    CONTAINER.env.map(({ name, value = name }: Record<string, string>) => [name, value]),
  ),
};

describe('the deployment files', () => {
  it.each(Object.entries(ENVIRONMENTS))('%s sets variables that exist', (_, environment) => {
    const settings = SETTING_HELP.map(({ name }) => name);
    const known = [...settings, 'PGPASSWORD', 'NODE_COMPILE_CACHE'];
    expect(Object.keys(environment).length).toBeGreaterThan(0);
    expect(known).toEqual(expect.arrayContaining(Object.keys(environment)));
  });

  it.each([
    'apps/users-api/deploy/Dockerfile',
    'apps/users-api/deploy/users-api@.service',
    'apps/users-api/docs/instances.md',
  ])('%s builds with a script that users-api and its packages have', (path) => {
    const [script = ''] = all(
      readFileSync(join(ROOT, path), 'utf8'),
      /--filter "users-api\.\.\." run (\S+)$/gm,
    );
    for (const folder of [APP, join(ROOT, 'packages/core')]) {
      const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      expect(scripts).toHaveProperty([script]);
    }
  });

  it.each(['users-api@.service', 'compose.yaml', 'kubernetes.yaml'])(
    'a service with the environment of %s serves the API and its health on separate ports',
    async (file) => {
      const operations = await freePort();
      const { url } = startProcess({
        ...ENVIRONMENTS[file],
        NODE_COMPILE_CACHE: '',
        DATABASE_URL: `sqlite:${join(temporaryFolder(), 'users.db')}`,
        OPERATIONS_PORT: String(operations),
      });
      const api = await url;
      for (const path of ['/health/live', '/health/ready']) {
        expect((await fetch(`http://127.0.0.1:${operations}${path}`)).status).toBe(200);
        expect((await fetch(api + path)).status).toBe(404);
      }
      expect((await fetch(`${api}/api/users`)).status).toBe(200);
    },
  );

  it('start the program that is built from src/main.ts', () => {
    expect(DOCKERFILE).toContain('CMD ["node", "--max-semi-space-size=16", "dist/main.js"]');
    expect(UNIT).toContain('ExecStart=/usr/bin/node --max-semi-space-size=16 dist/main.js');
    expect(JSON.parse(read('../package.json'))).toMatchObject({
      scripts: { start: 'node --max-semi-space-size=16 dist/main.js' },
      files: ['dist'],
    });
    expect(existsSync(join(APP, 'src/main.ts'))).toBe(true);
  });

  it.each([
    ['users-api@.service', Number(all(UNIT, /^TimeoutStopSec=(\d+)$/gm)[0])],
    ['compose.yaml', Number.parseInt(COMPOSE.services['users-api'].stop_grace_period, 10)],
    ['kubernetes.yaml', POD.terminationGracePeriodSeconds],
  ])('%s gives the service longer to stop than it takes', (file, grace) => {
    const timeout = ENVIRONMENTS[file]?.SHUTDOWN_TIMEOUT ?? fallbackOf('SHUTDOWN_TIMEOUT');
    expect(grace * 1_000).toBeGreaterThan(Number(timeout));
  });

  it('keep a secret out of the files', () => {
    const { database, 'users-api': service } = COMPOSE.services;
    expect(COMPOSE_TEXT).not.toMatch(/:\/\/[^/\s]*:[^/\s]*@/);
    expect(database.environment.POSTGRES_PASSWORD).toMatch(/^\$\{POSTGRES_PASSWORD:\?/);
    expect(service.environment.PGPASSWORD).toBe(`\${POSTGRES_PASSWORD}`);
    expect(CONTAINER.env).toContainEqual({
      name: 'DATABASE_URL',
      valueFrom: { secretKeyRef: { name: 'users-api', key: 'database-url' } },
    });
  });
});

describe('the image', () => {
  it('exposes the default port and checks the liveness on the port of /health', () => {
    expect(all(DOCKERFILE, /^EXPOSE (\d+)$/gm)).toEqual([fallbackOf('PORT')]);
    expect(DOCKERFILE).toContain(
      `\${process.env.OPERATIONS_PORT || process.env.PORT || ${fallbackOf('PORT')}}/health/live`,
    );
  });

  it('keeps its store in its volume and its compile cache in a directory of its user', () => {
    const [volume = ''] = all(DOCKERFILE, /^VOLUME (.+)$/gm);
    const [cache = ''] = all(DOCKERFILE, /NODE_COMPILE_CACHE=(\S+)/g);
    expect(DOCKERFILE).toContain(`DATABASE_URL=sqlite:${volume}/users.db`);
    expect(DOCKERFILE).toContain(`chown node:node ${volume} ${cache}`);
  });

  it('is built with the pnpm and the Node of the repository', () => {
    const root = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(all(DOCKERFILE, /install --global (pnpm@[\d.]+)/g)).toEqual([root.packageManager]);
    // Not the devDependency, which is another version when the tests run on that.
    const major = readFileSync(join(ROOT, '.nvmrc'), 'utf8').trim();
    expect(all(DOCKERFILE, /^FROM node:(\d+)/gm)).toEqual([major, major]);
  });
});

describe('the systemd unit', () => {
  it('names an instance after its port for operations, and shares the other port', () => {
    expect(ENVIRONMENTS['users-api@.service']).toMatchObject({
      REUSE_PORT: 'on',
      OPERATIONS_PORT: '%i',
    });
  });

  it('keeps the store and the compile cache in directories that its instances share', () => {
    const [state = ''] = all(UNIT, /^StateDirectory=(.+)$/gm);
    const [cache = ''] = all(UNIT, /^CacheDirectory=(.+)$/gm);
    expect(UNIT).toContain(`DATABASE_URL=sqlite:%S/${state}/users.db`);
    expect(UNIT).toContain(`NODE_COMPILE_CACHE=%C/${cache}`);
    // Without a name, each instance would have another user.
    expect(UNIT).toMatch(/^DynamicUser=yes\n(?:#.*\n)*User=users-api$/m);
  });
});

describe('the compose file', () => {
  const { 'users-api': service, balancer } = COMPOSE.services;

  it('publishes the port of the balancer only', () => {
    const published = Object.keys(COMPOSE.services).filter((name) => COMPOSE.services[name].ports);
    expect(published).toEqual(['balancer']);
    expect(balancer.ports).toEqual([`\${PORT:-8080}:${all(HAPROXY, /^ {2}bind :(\d+)$/gm)[0]}`]);
  });

  it('names files that exist', () => {
    const { context, dockerfile } = service.build;
    expect(existsSync(join(APP, 'deploy', context, dockerfile))).toBe(true);
    expect(existsSync(join(APP, 'deploy', context, 'pnpm-workspace.yaml'))).toBe(true);
    expect(existsSync(join(APP, 'deploy', COMPOSE.configs.haproxy.file))).toBe(true);
  });

  it('has a balancer that finds and checks the instances, and notices one that stops in time', () => {
    const [template = ''] = all(HAPROXY, /^ {2}server-template (.+)$/gm);
    const [check = ''] = all(HAPROXY, /^ {2}default-server (.+)$/gm);
    const { OPERATIONS_PORT, SHUTDOWN_DELAY } = service.environment;
    expect(template).toContain(` users-api:${fallbackOf('PORT')} `);
    expect(check).toContain(`check port ${OPERATIONS_PORT} `);
    const [, interval, failures] = /inter (\d+)s fall (\d+)/.exec(check) ?? [];
    expect(Number(SHUTDOWN_DELAY)).toBeGreaterThan(Number(interval) * Number(failures) * 1_000);
    // While instances are replaced, there are twice as many.
    const [slots] = all(template, /^\S+ (\d+)/g);
    expect(Number(slots)).toBeGreaterThanOrEqual(service.deploy.replicas * 2);
  });
});

describe('the Kubernetes manifest', () => {
  it('selects the pods of the deployment', () => {
    const { labels } = DEPLOYMENT.spec.template.metadata;
    expect(DEPLOYMENT.spec.selector.matchLabels).toEqual(labels);
    expect(SERVICE.spec.selector).toEqual(labels);
    expect(BUDGET.spec.selector.matchLabels).toEqual(labels);
  });

  it('sends requests to the default port, and probes to the port for operations', () => {
    const { OPERATIONS_PORT } = ENVIRONMENTS['kubernetes.yaml'] ?? {};
    expect(CONTAINER.ports).toEqual([
      { name: 'api', containerPort: Number(fallbackOf('PORT')) },
      { name: 'operations', containerPort: Number(OPERATIONS_PORT) },
    ]);
    expect(SERVICE.spec.ports).toEqual([expect.objectContaining({ targetPort: 'api' })]);
    const { startupProbe, readinessProbe, livenessProbe } = CONTAINER;
    expect([startupProbe, readinessProbe, livenessProbe].map(({ httpGet }) => httpGet)).toEqual([
      { path: '/health/live', port: 'operations' },
      { path: '/health/ready', port: 'operations' },
      { path: '/health/live', port: 'operations' },
    ]);
  });

  it('stops a pod only when a new one is ready and the endpoints are updated', () => {
    expect(DEPLOYMENT.spec.strategy.rollingUpdate).toEqual({ maxSurge: 1, maxUnavailable: 0 });
    expect(BUDGET.spec.maxUnavailable).toBeLessThan(DEPLOYMENT.spec.replicas);
    const { SHUTDOWN_DELAY } = ENVIRONMENTS['kubernetes.yaml'] ?? {};
    const { periodSeconds, failureThreshold } = CONTAINER.readinessProbe;
    expect(Number(SHUTDOWN_DELAY)).toBeGreaterThan(periodSeconds * failureThreshold * 1_000);
  });
});
