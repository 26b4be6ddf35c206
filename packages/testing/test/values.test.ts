import { defineController, describeRoutes, type GuardFn } from '@fairlead/controllers';
import { Service } from '@fairlead/di';
import { describe, expect, it } from 'vitest';
import { createTestApp } from '../src/index.js';

@Service()
class Clock {
  year() {
    return 2026;
  }
}

const signedIn: GuardFn = () => false;

const years = defineController('/years', {
  inject: { clock: Clock },
  guards: [signedIn],
  routes: ({ get }) => ({ now: get('/now', (_ctx, { clock }) => clock.year()) }),
});

describe('a controller as a value', () => {
  it('gets overridden services and guards', async () => {
    await using app = await createTestApp({
      controllers: [years],
      overrides: [[Clock, { useValue: { year: () => 1815 } }]],
      guardOverrides: [[signedIn, () => true]],
    });
    expect(await (await app.request('/years/now')).json()).toBe(1815);
  });

  it('gets overridden instances, by their names', async () => {
    await using app = await createTestApp({
      controllers: [years],
      overrides: [[years, { useValue: { clock: { year: () => 1843 } } }]],
      guardOverrides: [[signedIn, () => true]],
    });
    expect(await (await app.request('/years/now')).json()).toBe(1843);
  });

  it('keeps the names of its guards and handlers in descriptions', async () => {
    await using app = await createTestApp({ controllers: [years] });
    expect(describeRoutes(app.app)).toMatchObject([
      { method: 'GET', path: '/years/now', handler: 'years.now', guards: ['signedIn'] },
    ]);
  });
});
