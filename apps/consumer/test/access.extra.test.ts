import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  move,
  type Result,
  readApplications,
  runVariants,
  weaken,
} from './support/access-programs.js';

let root: string;
/** The applications as they are, weaker ones, and those with moves that keep access. */
let plain: readonly Result[];
let weaker: readonly Result[];
let moved: readonly Result[];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'fairlead-applications-'));
  const applications = await readApplications(root);
  const same = [...applications].map(([app, sources]) => ({
    app,
    change: 'none',
    sources,
    isStarted: true,
  }));
  const weak = weaken(applications);
  // Every second one is enough, and takes half of the time.
  const moves = move(applications).filter((_, index) => index % 2 === 0);
  const results = await runVariants([...same, ...weak, ...moves]);
  plain = results.slice(0, same.length);
  weaker = results.slice(same.length, same.length + weak.length);
  moved = results.slice(same.length + weak.length);
}, 120_000);

afterAll(() => rm(root, { recursive: true }));

const describeResult = ({ app, change, problems, differences }: Result) => ({
  change: `${app}: ${change}`,
  problems,
  differences: differences.map(({ kind, route }) => `${kind} ${route}`),
});

it('the applications start, and access is as in their lock', () => {
  expect(plain.map(describeResult)).toEqual(
    ['users-api', 'realworld', 'values', 'rest-api'].map((app) => ({
      change: `${app}: none`,
      problems: [],
      differences: [],
    })),
  );
});

it('a guard or authenticating middleware that is gone makes access weaker', () => {
  const unnoticed = weaker.filter(
    ({ differences }) => !differences.some(({ kind }) => kind === 'weaker'),
  );
  expect(unnoticed.map(describeResult)).toEqual([]);
  // Each step of each route is weaker in one of the variants.
  const steps = plain.flatMap(({ app, steps }) => steps.map((step) => ({ app, ...step })));
  const kept = steps.filter(
    ({ app, route, name }) =>
      !weaker.some(
        (one) =>
          one.app === app &&
          one.differences.some((other) => other.route === route && other.message.includes(name)),
      ),
  );
  expect(kept).toEqual([]);
  // users-api has no sign-in.
  expect(plain.map((one) => one.steps.length)).toEqual([0, 16, 3, 8]);
});

it('moves that keep access make no difference', () => {
  expect(moved.length).toBeGreaterThanOrEqual(60);
  const noticed = moved.filter(
    ({ problems, differences }) => problems.length > 0 || differences.length > 0,
  );
  expect(noticed.map(describeResult)).toEqual([]);
});
