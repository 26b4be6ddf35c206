import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SETTING_HELP } from '../src/config.js';
import { APP } from './support/built-program.js';

const ROOT = resolve(APP, '../..');
const read = (path: string): string => readFileSync(join(APP, path), 'utf8');

const fallbackOf = (setting: string) => SETTING_HELP.find(({ name }) => name === setting)?.fallback;

const DOCKERFILE = read('deploy/Dockerfile');
const COMPOSE = read('deploy/compose.yaml');
const UNIT = read('deploy/users-api.service');

/** The first group of every match. */
function all(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, group = '']) => group);
}

describe('the deployment files', () => {
  it.each([
    ['Dockerfile', all(DOCKERFILE, /^(?:ENV| {3}) *([A-Z_]+)=/gm)],
    ['compose.yaml', all(COMPOSE.split('  users-api:')[1] ?? '', /^ {6}([A-Z_]+):/gm)],
    ['users-api.service', all(UNIT, /^Environment=([A-Z_]+)=/gm)],
  ])('%s sets variables that the service, its driver or node reads', (_, names) => {
    expect(names.length).toBeGreaterThan(0);
    expect([...SETTING_HELP.map(({ name }) => name), 'PGPASSWORD', 'NODE_COMPILE_CACHE']).toEqual(
      expect.arrayContaining(names),
    );
  });

  it('start the program that is built from src/main.ts', () => {
    expect(DOCKERFILE).toContain('CMD ["node", "--max-semi-space-size=16", "dist/main.js"]');
    expect(UNIT).toContain('ExecStart=/usr/bin/node --max-semi-space-size=16 dist/main.js');
    expect(JSON.parse(read('package.json'))).toMatchObject({
      scripts: { start: 'node --max-semi-space-size=16 dist/main.js' },
      files: ['dist'],
    });
    expect(existsSync(join(APP, 'src/main.ts'))).toBe(true);
  });

  it('use the default port and a route that there is', () => {
    expect(all(DOCKERFILE, /^EXPOSE (\d+)$/gm)).toEqual([fallbackOf('PORT')]);
    expect(all(COMPOSE, /PORT:-\d+}:(\d+)$/gm)).toEqual([fallbackOf('PORT')]);
    const [path = ''] = all(DOCKERFILE, /PORT \|\| 8080}([a-z/]+)`/g);
    expect(['/health/live', '/health/ready']).toContain(path);
  });

  it('give the service longer to stop than it takes', () => {
    const timeout = Number(fallbackOf('SHUTDOWN_TIMEOUT')) / 1_000;
    const graces = [
      ...all(COMPOSE, /stop_grace_period: (\d+)s/g),
      ...all(UNIT, /^TimeoutStopSec=(\d+)$/gm),
    ];
    expect(graces).toHaveLength(2);
    for (const grace of graces) expect(Number(grace)).toBeGreaterThan(timeout);
  });

  it('keep the store of the image in its volume, and that of the unit in its state', () => {
    const [volume = ''] = all(DOCKERFILE, /^VOLUME (.+)$/gm);
    expect(DOCKERFILE).toContain(`DATABASE_URL=sqlite:${volume}/users.db`);
    expect(DOCKERFILE).toContain(`chown node:node ${volume}`);
    const [state = ''] = all(UNIT, /^StateDirectory=(.+)$/gm);
    expect(UNIT).toContain(`DATABASE_URL=sqlite:%S/${state}/users.db`);
  });

  it('keep what node compiles in a directory of the user who runs the service', () => {
    const [folder = ''] = all(DOCKERFILE, /NODE_COMPILE_CACHE=(\S+)/g);
    expect(DOCKERFILE).toMatch(new RegExp(`chown node:node .*${folder}$`, 'm'));
    const [cache = ''] = all(UNIT, /^CacheDirectory=(.+)$/gm);
    expect(UNIT).toContain(`NODE_COMPILE_CACHE=%C/${cache}`);
  });

  it('build with the pnpm and the Node of the repository', () => {
    const root = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const [pnpm = ''] = all(DOCKERFILE, /install --global (pnpm@[\d.]+)/g);
    expect(pnpm).toBe(root.packageManager);
    const [major = ''] = all(root.devDependencies.node, /^(\d+)\./g);
    expect(all(DOCKERFILE, /^FROM node:(\d+)/gm)).toEqual([major, major]);
  });

  it('name files that there are', () => {
    const [dockerfile = ''] = all(COMPOSE, /dockerfile: (.+)/g);
    const [context = ''] = all(COMPOSE, /context: (.+)/g);
    expect(existsSync(join(APP, 'deploy', context, dockerfile))).toBe(true);
    expect(existsSync(join(APP, 'deploy', context, 'pnpm-workspace.yaml'))).toBe(true);
  });

  it('hold no secret', () => {
    expect(COMPOSE).not.toMatch(/:\/\/[^/\s]*:[^/\s]*@/);
    expect(all(COMPOSE, /PASSWORD: (.+)/g)).toEqual([
      expect.stringMatching(/^\$\{POSTGRES_PASSWORD:\?/),
      expect.stringMatching(/^\$\{POSTGRES_PASSWORD\}$/),
    ]);
  });
});
