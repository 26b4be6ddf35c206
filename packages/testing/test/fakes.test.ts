import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { Controller, Get, Param, UseGuard } from '@fairlead/controllers';
import { type Context, createApp } from '@fairlead/core';
import { Inject, Service, token } from '@fairlead/di';
import { describe, expect, it } from 'vitest';
import { createTestApp, type FakeProvider, MissingMemberError } from '../src/index.js';

interface Notes {
  readonly size?: number;
  find(id: string): Promise<string | undefined>;
  add(text: string): Promise<string>;
}

const NOTES = token<Notes>('Notes');

@Service()
class SignedIn {
  readonly #sessions = new Map<string, string>();

  async canActivate(ctx: Context): Promise<boolean> {
    return this.#sessions.has(ctx.path);
  }

  async signOut(): Promise<void> {
    this.#sessions.clear();
  }
}

@Controller('/notes')
@UseGuard(SignedIn)
class NotesController {
  constructor(
    @Inject(NOTES) readonly notes: Notes,
    readonly signedIn: SignedIn,
  ) {}

  @Get('/size')
  size() {
    return { size: this.notes.size };
  }

  @Get('/sign-out')
  signOut() {
    return this.signedIn.signOut();
  }

  @Get('/add/:text')
  async add(@Param('text') text: string) {
    return { id: await this.notes.add(text) };
  }

  @Get('/:id')
  async read(@Param('id') id: string) {
    return { text: await this.notes.find(id) };
  }
}

const start = (notes: FakeProvider<Notes>) =>
  createTestApp({
    controllers: [NotesController],
    overrides: [
      [SignedIn, { useValue: { canActivate: () => true } }],
      [NOTES, notes],
    ],
  });

const find = async (id: string) => `note ${id}`;

describe('a fake', () => {
  it.each<[string, FakeProvider<Notes>]>([
    ['a value', { useValue: { find } }],
    ['of a factory', { useFactory: () => ({ find }) }],
    ['of an asynchronous factory', { useFactory: async () => ({ find }) }],
    ['with synchronous functions', { useValue: { find: (id) => `note ${id}` } }],
    ['that is frozen', { useValue: Object.freeze({ find }) }],
  ])('may lack members, and throws when one is read: %s', async (_, provider) => {
    await using app = await start(provider);
    expect(await (await app.request('/notes/7')).json()).toEqual({ text: 'note 7' });
    const error = await app.request('/notes/add/x').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(MissingMemberError);
    expect(error).toMatchObject({
      code: 'MISSING_FAKE_MEMBER',
      member: 'add',
      message:
        "The override of token(Notes) has no member 'add'.\n" +
        '  Fix: add the member to the override, or set it to undefined if the application may find it missing.',
    });
  });

  it('of a class with methods throws even without functions', async () => {
    await using app = await createTestApp({
      controllers: [],
      register: (container) => container.register(SignedIn),
      logger: { debug: () => undefined, warn: () => undefined },
      overrides: [[SignedIn, { useValue: {} }]],
    });
    const guard = app.container.resolve(SignedIn);
    expect(() => guard.canActivate).toThrow(
      "The override of SignedIn has no member 'canActivate'.",
    );
  });

  it('of a class throws in a guarded route', async () => {
    await using app = await start({ useValue: { find } });
    await expect(app.request('/notes/sign-out')).rejects.toThrow(
      "The override of SignedIn has no member 'signOut'.",
    );
  });

  it.each([
    ['without onError', {}],
    ['with onError', { onError: () => undefined }],
  ])('rejects the request even if the application catches the error: %s', async (_, options) => {
    await using app = await createTestApp({
      ...options,
      controllers: [NotesController],
      overrides: [
        [SignedIn, { useValue: { canActivate: () => true } }],
        [NOTES, { useValue: { find } }],
      ],
      before: [
        async (ctx, next) => {
          try {
            await next();
          } catch {
            ctx.status = 401;
          }
        },
      ],
    });
    await expect(app.request('/notes/add/x')).rejects.toThrow(MissingMemberError);
  });

  it('may set a member to undefined', async () => {
    await using app = await start({ useValue: { find, size: undefined } });
    expect(await (await app.request('/notes/size')).json()).toEqual({});
  });

  it('keeps what the application writes', async () => {
    const fake = { find, count: 1 };
    await using app = await start({ useValue: fake });
    const notes = app.container.resolve(NOTES) as unknown as { count: number };
    notes.count += 1;
    expect(fake.count).toBe(2);
  });

  it('can be awaited, serialized, inspected, compared and searched', async () => {
    const fake = { find };
    await using app = await start({ useValue: fake });
    const notes = app.container.resolve(NOTES);
    expect(await notes).toBe(notes);
    expect(JSON.stringify({ notes })).toBe('{"notes":{}}');
    // Node.js 26 marks every proxy.
    const isMarked = Number.parseInt(process.versions.node, 10) >= 26;
    expect(inspect(notes)).toBe(isMarked ? `Proxy(${inspect(fake)})` : inspect(fake));
    expect(`${notes}`).toBe('[object Object]');
    expect(notes).toEqual(fake);
    expect(notes).not.toEqual({ find, size: 1 });
    expect('add' in notes).toBe(false);
  });
});

describe('an override that is not a fake', () => {
  it.each([
    ['an object without functions', { level: 1 } as { level: number; name?: string }],
    [
      'an instance of a class',
      new (class Data {
        readonly #level = 1;
        get level() {
          return this.#level;
        }
        name?: string;
      })(),
    ],
  ])('returns undefined for missing members: %s', async (_, value) => {
    await using app = await createTestApp({
      controllers: [],
      register: (container) => container.register('data', { useValue: undefined }),
      logger: { debug: () => undefined, warn: () => undefined },
      overrides: [['data', { useValue: value }]],
    });
    const data = app.container.resolve<typeof value>('data');
    expect(data).toBe(value);
    expect([data.level, data.name]).toEqual([1, undefined]);
  });

  it('is still checked as a factory', async () => {
    const start = createTestApp({
      overrides: [[NOTES, { useFactory: (_id: unknown) => ({ find }) }]],
    });
    await expect(start).rejects.toThrow('useFactory takes 1 parameter, but inject lists 0');
  });

  it('may be made by factories with optional parameters', async () => {
    const ID = token<string>('Id');
    const ZONE = token<string>('Zone');
    await using service = await createTestApp({
      app(container) {
        const values = [container.resolve(ID), container.resolve(ZONE)];
        return createApp().get('/', () => values);
      },
      overrides: [
        [ID, { useFactory: randomUUID as () => string }],
        [ZONE, { useFactory: (zone?: unknown) => (zone === undefined ? 'UTC' : 'local') }],
      ],
    });
    expect(await (await service.request('/')).json()).toEqual([expect.any(String), 'UTC']);
  });
});
