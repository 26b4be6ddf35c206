import { describe, expect, it } from 'vitest';
import type { User } from '../../../src/users/user.js';
import { tick } from './span.js';
import { Violation } from './violation.js';
import { World } from './world.js';

const TIME = '2026-11-21T06:00:00.000Z';

function userOf(name: string): User {
  return { id: `id of ${name}`, name, email: `${name}@a`, createdAt: TIME, updatedAt: TIME };
}

/** Returns a world of users whose creations were acknowledged one after the other. */
function worldOf(...names: string[]): World {
  const world = new World();
  for (const name of names) {
    const creation = world.beginCreation({ name, email: `${name}@a` });
    world.created(creation, userOf(name), { start: creation.start, end: tick() });
  }
  return world;
}

function list(world: World, names: string[], total = names.length): void {
  world.seeList(names.map(userOf), total, { start: world.beginReading(), end: tick() });
}

function page(world: World, names: string[], total: number): void {
  world.seePage(names.map(userOf), total, 0, 2, { start: world.beginReading(), end: tick() });
}

describe('World', () => {
  it('accepts the list of all users in creation order', () => {
    expect(() => list(worldOf('a', 'b', 'c'), ['a', 'b', 'c'])).not.toThrow();
  });

  it.each([
    ['without a user', ['a', 'c'], 2],
    ['in a different order', ['a', 'c', 'b'], 3],
    ['with a user twice', ['a', 'b', 'b', 'c'], 4],
    ['with a user that nobody created', ['a', 'b', 'c', 'd'], 4],
    ['with a wrong total', ['a', 'b', 'c'], 4],
  ])('rejects a list %s', (_, names, total) => {
    expect(() => list(worldOf('a', 'b', 'c'), names, total)).toThrow(Violation);
  });

  it('rejects a list that shows a new user before a user of an earlier list', () => {
    const world = new World();
    for (const name of ['a', 'b']) world.beginCreation({ name, email: `${name}@a` });
    list(world, ['b']);
    expect(() => list(world, ['a', 'b'])).toThrow(Violation);
  });

  it('accepts that, of two overlapping creations, the first in the list appears last', () => {
    const world = new World(false);
    for (const name of ['a', 'b']) world.beginCreation({ name, email: `${name}@a` });
    list(world, ['b']);
    expect(() => list(world, ['a', 'b'])).not.toThrow();
  });

  it('rejects a creation that began after another had ended before it in the list', () => {
    const world = new World(false);
    world.beginCreation({ name: 'b', email: 'b@a' });
    list(world, ['b']);
    world.beginCreation({ name: 'a', email: 'a@a' });
    expect(() => list(world, ['a', 'b'])).toThrow(Violation);
  });

  it.each([
    ['that is too short', ['a'], 3],
    ['whose total is too small', ['a', 'b'], 2],
    ['whose total is too large', ['a', 'b'], 4],
  ])('rejects a page %s', (_, names, total) => {
    expect(() => page(worldOf('a', 'b', 'c'), names, total)).toThrow(Violation);
  });

  it('accepts a user whose creation had no response', () => {
    const world = worldOf('a');
    world.beginCreation({ name: 'b', email: 'b@a' }).end = tick();
    expect(() => list(world, ['a', 'b'])).not.toThrow();
  });

  it('rejects a user that was missing from a list after its creation was over', () => {
    const world = worldOf('a');
    world.beginCreation({ name: 'b', email: 'b@a' }).end = tick();
    list(world, ['a']);
    expect(() => list(world, ['a', 'b'])).toThrow(Violation);
  });
});
