import { createContainer } from '@fairlead/di';
import { describe, expect, it } from 'vitest';
import { createTestApp } from '../src/index.js';
import { Clock, Door, Greeter, GreetingsController, WORD } from './support/greetings.js';

const controllers = [GreetingsController];
const clock = { now: () => 'noon' };

describe('overrides', () => {
  it('replace services, values and guards at any depth', async () => {
    await using app = await createTestApp({
      controllers,
      overrides: [
        [Clock, { useValue: clock }],
        [WORD, { useFactory: () => 'Hello' }],
        [Door, { useValue: { canActivate: () => true } }],
      ],
    });
    const response = await app.request('/greetings', { method: 'POST', json: { name: 'Ada' } });
    expect(await response.json()).toEqual({ text: 'Hello Ada, it is noon' });
  });

  it('replace providers from `register`', async () => {
    await using app = await createTestApp({
      controllers,
      register: (container) =>
        container.register(WORD, { useValue: 'Hello' }).register('zone', { useValue: 'Rome' }),
      overrides: [[WORD, { useValue: 'Salve' }]],
    });
    const response = await app.request('/greetings/Ada');
    expect(await response.json()).toEqual({ text: 'Salve Ada, it is noon in Rome' });
  });

  it('wait for an asynchronous `register`', async () => {
    await using app = await createTestApp({
      controllers,
      register: async (container) => {
        await Promise.resolve();
        container.register(WORD, { useValue: 'Hello' });
      },
      overrides: [
        [WORD, { useValue: 'Salve' }],
        [Clock, { useValue: clock }],
      ],
    });
    expect(app.container.resolve(WORD)).toBe('Salve');
  });

  it('accept the options of `register` as their third entry', async () => {
    await using app = await createTestApp({
      controllers: [],
      register: (container) => container.register('tag', { useValue: 'c' }),
      logger: { debug: () => undefined, warn: () => undefined },
      overrides: [
        ['tag', { useValue: 'a' }],
        ['tag', { useValue: 'b' }, { multi: true }],
      ],
    });
    expect(app.container.resolveAll('tag')).toEqual(['a', 'b']);
  });

  it('can be classes with dependencies', async () => {
    class LoudGreeter extends Greeter {
      override greet(name: string) {
        return super.greet(name).toUpperCase();
      }
    }
    await using app = await createTestApp({
      controllers,
      overrides: [
        [Greeter, { useClass: LoudGreeter }],
        [Clock, { useValue: clock }],
        [WORD, { useValue: 'Hello' }],
      ],
    });
    const response = await app.request('/greetings/Ada');
    expect(await response.json()).toEqual({ text: 'HELLO ADA, IT IS NOON' });
  });

  it('fail the startup when they are invalid', async () => {
    const start = createTestApp({ controllers, overrides: [[WORD, {} as { useValue: string }]] });
    await expect(start).rejects.toMatchObject({ code: 'DI_INVALID_PROVIDER' });
  });
});

describe('containers', () => {
  const overrides = (word: string) =>
    [
      [Clock, { useValue: clock }],
      [WORD, { useValue: word }],
    ] as const;

  it('are separate for each application, also for concurrent ones', async () => {
    const words = ['Hello', 'Salve', 'Moin'];
    const apps = await Promise.all(
      words.map((word) => createTestApp({ controllers, overrides: overrides(word) })),
    );
    const responses = await Promise.all(apps.map((app) => app.request('/greetings/Ada')));
    const texts = await Promise.all(responses.map(async (response) => response.json()));
    expect(texts).toEqual(words.map((word) => ({ text: `${word} Ada, it is noon` })));
    const greeters = apps.map(({ container }) => container.resolve(Greeter));
    expect(new Set(greeters).size).toBe(words.length);
    await Promise.all(apps.map((app) => app.close()));
  });

  it('are not the global container', async () => {
    await using _app = await createTestApp({ controllers, overrides: overrides('Hello') });
    const { container } = await import('@fairlead/di');
    expect(container.has(WORD)).toBe(false);
    expect(createContainer().has(WORD)).toBe(false);
  });
});
