import { cases } from '@fairlead/test-support/properties';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import fc from 'fast-check';
import fastJsonStringify from 'fast-json-stringify';
import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import {
  type ApplicationOptions,
  type Context,
  createApp,
  intended,
  type ResponseSchemas,
  type StandardSchema,
} from '../src/index.js';

const User = z.object({ id: z.string(), name: z.string() });
const ada = { id: '1', name: 'Ada' };
const leaking = { ...ada, passwordHash: 'secret' };

/** Sends a value from a route with a response schema. */
async function send(
  response: ResponseSchemas,
  handler: (ctx: Context) => unknown,
  options: ApplicationOptions = {},
) {
  const onError = vi.fn<(error: unknown) => void>();
  const app = createApp({ onError, ...options });
  app.on('GET', '/users', { response } as object, (ctx: Context) => handler(ctx));
  const sent = await app.request('/users');
  const text = await sent.text();
  const message = String((onError.mock.calls[0]?.[0] as Error | undefined)?.message);
  return {
    status: sent.status,
    text,
    message,
    code: Reflect.get(Object(onError.mock.calls[0]?.[0]), 'code'),
  };
}

/** Returns what a client receives for a value, in production. */
async function received(response: ResponseSchemas, value: unknown) {
  const { status, text } = await send(response, () => value);
  expect(status).toBe(200);
  return JSON.parse(text);
}

const Tree: z.ZodType = z.object({
  name: z.string(),
  get children() {
    return z.array(Tree);
  },
});

const Shape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('circle'), radius: z.number() }),
  z.object({ kind: z.literal('square'), side: z.number() }),
]);

describe('what a response schema does not describe', () => {
  it.each<[string, ResponseSchemas, unknown, unknown]>([
    ['a member', User, leaking, ada],
    [
      'a schema whose ID has a percent sign',
      z.object({ user: User.meta({ id: 'User %' }) }),
      { user: leaking },
      { user: ada },
    ],
    ['members of a list', z.array(User), [leaking, ada], [ada, ada]],
    [
      'nested members',
      z.object({ users: z.array(User) }),
      { users: [leaking], n: 1 },
      { users: [ada] },
    ],
    ['members of a record', z.record(z.string(), User), { a: leaking }, { a: ada }],
    [
      'other names of a record',
      z.partialRecord(z.enum(['a']), User),
      { a: ada, b: ada },
      { a: ada },
    ],
    ['members of a catchall', z.looseObject({}).catchall(User), { a: leaking }, { a: ada }],
    ['members of a nullable object', User.nullable(), leaking, ada],
    [
      'members of an optional one',
      z.object({ user: User.optional() }),
      { user: leaking },
      { user: ada },
    ],
    [
      'members of the fitting branch',
      Shape,
      { kind: 'circle', radius: 1, side: 2 },
      { kind: 'circle', radius: 1 },
    ],
    [
      'members of an intersection',
      User.and(z.object({ age: z.number() })),
      { ...leaking, age: 7 },
      { ...ada, age: 7 },
    ],
    [
      'members of a recursive schema',
      Tree,
      { name: 'a', children: [{ name: 'b', children: [], x: 1 }] },
      { name: 'a', children: [{ name: 'b', children: [] }] },
    ],
    ['elements of a tuple', z.tuple([z.string(), User]), ['a', leaking, 'secret'], ['a', ada]],
    [
      'members in place of text',
      z.object({ owner: z.string() }),
      { owner: leaking },
      { owner: {} },
    ],
    ['elements in place of text', z.object({ owner: z.string() }), { owner: [1] }, { owner: [] }],
    ['a member that is never there', z.object({ a: z.never().optional() }), { a: 1 }, {}],
    [
      'members, in valibot',
      toStandardJsonSchema(v.object({ id: v.string() })),
      leaking,
      { id: '1' },
    ],
    [
      'members of an intersection, in valibot',
      toStandardJsonSchema(
        v.intersect([v.object({ id: v.string() }), v.object({ name: v.string() })]),
      ),
      leaking,
      ada,
    ],
    [
      'members of an intersection in a member',
      z
        .object({ user: z.object({ id: z.string() }) })
        .and(z.object({ user: z.object({ name: z.string() }) })),
      { user: leaking },
      { user: ada },
    ],
    [
      'members of a branch that fits without its default',
      z.union([
        z.object({ a: z.string().default(''), b: z.string() }),
        z.object({ b: z.string(), c: z.number() }),
      ]),
      { b: '', c: 'x' },
      { b: '' },
    ],
    [
      'members of a later branch that fits, too',
      z.union([User, z.object({ id: z.string(), email: z.string() })]),
      { ...ada, email: 'a@b' },
      ada,
    ],
    [
      'members that a record describes after the branch that fits',
      z.union([User, z.record(z.string(), z.string())]),
      leaking,
      ada,
    ],
    [
      'members of a later branch, beside a default',
      z.union([
        z.object({ a: z.string().default(''), b: z.string() }),
        z.object({ b: z.string(), c: z.string() }),
      ]),
      { b: '', c: '' },
      { b: '' },
    ],
    [
      'what some branches do not describe, if none fits',
      Shape,
      { kind: 'line', radius: 1, side: 2 },
      { kind: 'line' },
    ],
    ['members, in arktype', type({ id: 'string' }), leaking, { id: '1' }],
    ['members, in a JSON Schema', { type: 'object', properties: { id: {} } }, leaking, { id: '1' }],
    [
      'members, beside a constant',
      { anyOf: [{ const: 'none' }, { enum: [0, 1] }, { properties: { id: {} }, type: 'object' }] },
      leaking,
      { id: '1' },
    ],
    [
      'members, in draft-07',
      {
        definitions: { 'a/b': { properties: { id: {} } } },
        items: [{ $ref: '#/definitions/a~1b' }],
      },
      [leaking, 2],
      [{ id: '1' }],
    ],
    [
      'members of a schema with an ID',
      { $id: 'Tree', properties: { next: { $ref: 'Tree' } } },
      { next: { next: {}, x: 1 } },
      { next: { next: {} } },
    ],
    [
      'members of a pattern',
      { patternProperties: { '^a': { properties: { id: {} } } } },
      { ab: leaking, b: 1 },
      { ab: { id: '1' } },
    ],
    [
      'members of several patterns',
      {
        patternProperties: {
          '^a': { properties: { id: {} } },
          b$: { properties: { name: {} } },
        },
      },
      { ab: leaking },
      { ab: ada },
    ],
    [
      'members, if a condition describes others',
      { properties: { a: {} }, if: { required: ['z'] }, else: { properties: { b: {} } } },
      { a: 1, b: 2, c: 3 },
      { a: 1, b: 2 },
    ],
    [
      'members, if a union only restricts',
      { type: 'object', properties: { a: {} }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      { a: 1, b: 2 },
      { a: 1 },
    ],
  ])('is removed: %s', async (_what, response, value, expected) => {
    expect(await received(response, value)).toEqual(expected);
  });

  it.each<[string, ResponseSchemas, unknown]>([
    ['of a loose object', z.looseObject({ id: z.string() }), leaking],
    ['of a catchall', z.object({ id: z.string() }).catchall(z.string()), leaking],
    ['of a record', z.record(z.string(), z.string()), leaking],
    [
      'of any value',
      z.object({ data: z.any(), more: z.unknown() }),
      { data: leaking, more: [leaking] },
    ],
    ['of JSON', z.object({ data: z.json() }), { data: [{ deep: leaking }] }],
    ['of an intersection with anything', z.object({ id: z.string() }).and(z.any()), leaking],
    [
      'of a record that is the first branch',
      z.union([z.record(z.string(), z.string()), User]),
      leaking,
    ],
    ['of the rest of a tuple', z.tuple([z.string()]).rest(z.any()), ['a', leaking]],
    [
      'of a loose object, in valibot',
      toStandardJsonSchema(v.looseObject({ id: v.string() })),
      leaking,
    ],
    ['of an index signature, in arktype', type({ id: 'string', '[string]': 'string' }), leaking],
    ['of an object, in arktype', type({ data: 'object' }), { data: leaking }],
    ['of additionalProperties', { properties: { id: {} }, additionalProperties: true }, leaking],
    [
      'of an object without properties',
      { properties: { user: { type: 'object' } } },
      { user: leaking },
    ],
    [
      'of a union in an object',
      { properties: { id: {} }, oneOf: [{ properties: { name: {}, passwordHash: {} } }] },
      leaking,
    ],
  ])('does not include members %s', async (_which, response, value) => {
    expect(await received(response, value)).toEqual(value);
    expect((await send(response, () => value, { checkResponses: true })).message).not.toContain(
      'describe',
    );
  });

  it.each<[string, (ctx: Context) => unknown]>([
    ['a returned value', () => leaking],
    ['a promise', async () => leaking],
    ['ctx.json()', (ctx) => ctx.json(leaking)],
    ['ctx.respond()', (ctx) => ctx.respond(leaking)],
    ['ctx.json() with an own serializer', (ctx) => ctx.json(leaking, JSON.stringify)],
  ])('never leaves in %s', async (_how, handler) => {
    expect(JSON.parse((await send(User, handler)).text)).toEqual(ada);
    expect(await send(User, handler, { checkResponses: true })).toMatchObject({
      status: 500,
      code: 'RESPONSE_SCHEMA',
      message:
        'The response of GET /users does not match its schema: passwordHash: the schema does not describe it\n' +
        '  Fix: respond with what the schema produces, or correct the schema.',
    });
  });

  it.each<[string, ResponseSchemas, unknown]>([
    ['a member', z.object({ at: z.date() }), { at: new Date(0) }],
    ['an element of a list', z.array(z.union([z.date(), z.null()])), [new Date(0)]],
    ['the whole response', z.date(), new Date(0)],
  ])('is told to be text if a schema demands a date of %s', async (_which, response, value) => {
    const { status, message } = await send(response, () => value, { checkResponses: true });
    expect(status).toBe(500);
    expect(message).toContain(
      '\n  Fix: describe the text of dates, which JSON writes as in "2026-01-31T09:30:00.000Z", such as z.iso.datetime() in zod.',
    );
  });

  it('may be a date if the schema describes its text', async () => {
    const response = z.object({ at: z.iso.datetime() });
    const sent = await send(response, () => ({ at: new Date(0) }), { checkResponses: true });
    expect(JSON.parse(sent.text)).toEqual({ at: '1970-01-01T00:00:00.000Z' });
  });

  it('without one below 300 does not apply to successful responses', async () => {
    const response = { 404: z.object({ missing: z.string() }) };
    const app = createApp().get('/:status', { response: response as object }, (ctx) => {
      ctx.status = Number(ctx.params.status);
      return { missing: 'Ada', name: 'Ada' };
    });
    expect(await (await app.request('/200')).json()).toEqual({ missing: 'Ada', name: 'Ada' });
    expect(await (await app.request('/404')).json()).toEqual({ missing: 'Ada' });
  });

  it('is judged by the schema of the status', async () => {
    const response = { 200: User, 404: z.object({ missing: z.string() }) };
    const missing = (ctx: Context) => {
      ctx.status = 404;
      return { missing: '7', query: 'SELECT' };
    };
    expect(JSON.parse((await send(response, missing)).text)).toEqual({ missing: '7' });
    expect(JSON.parse((await send(response, () => leaking)).text)).toEqual(ada);
  });

  it('is judged as JSON writes it', async () => {
    class Account {
      readonly #password = 'secret';
      constructor(readonly id: string) {}
      toJSON() {
        return { id: this.id, name: 'Ada', password: this.#password };
      }
    }
    const at = new Date(0);
    const value = { user: new Account('1'), at, later: undefined, run: () => 1, n: Number.NaN };
    const response = z.object({ user: User, at: z.date(), n: z.number().nullable() });

    expect(await received(response, value)).toEqual({ user: ada, at: at.toJSON(), n: null });
    const { message } = await send(response, () => value, { checkResponses: true });
    expect(message).toContain('user.password: the schema does not describe it');
    expect(message).not.toContain('later');
  });

  it('may have hostile names', async () => {
    const value = JSON.parse(
      '{"__proto__":{"id":"1","x":1},"constructor":1,"toString":2,"id":"2"}',
    );
    const named = z.object({ id: z.string() });
    const proto = { properties: JSON.parse('{"__proto__":{"properties":{"id":{}}}}') };

    expect((await send(named, () => value)).text).toBe('{"id":"2"}');
    expect((await send(proto, () => value)).text).toBe('{"__proto__":{"id":"1"}}');
    expect(
      await received(
        {
          anyOf: [
            { properties: {}, required: ['b'] },
            { properties: { ['__proto__']: { type: 'string' }, a: {} } },
          ],
        },
        { a: 1 },
      ),
    ).toEqual({ a: 1 });
  });

  it('lists at most five paths', async () => {
    const users = Array.from({ length: 9 }, () => leaking);
    const { message } = await send(z.array(User), () => users, { checkResponses: true });

    expect(message).toContain('0.passwordHash: the schema does not describe it');
    expect(message).toContain('; 4 more like this\n');
  });

  it('is an error in checks, even with a compiler that removes it', async () => {
    const compileResponse = (schema: object) => fastJsonStringify(schema);
    const options = { compileResponse, checkResponses: true };

    expect((await send(User, () => leaking, options)).message).toContain('passwordHash: ');
    expect((await send(User, () => leaking, { compileResponse })).text).toBe(JSON.stringify(ada));
  });

  it('is sent if the application trusts responses, but an error in checks', async () => {
    const trust = { responses: 'trust' } as const;
    expect(JSON.parse((await send(User, () => leaking, trust)).text)).toEqual(leaking);
    const checked = await send(User, () => leaking, { ...trust, checkResponses: true });
    expect(checked.message).toContain('passwordHash: ');
  });

  it('leaves handlers their value', async () => {
    const value = { user: leaking };
    await send(z.object({ user: User }), () => value);
    expect(value).toEqual({ user: leaking });
  });

  it('does not hide a cycle or an object that JSON cannot represent', async () => {
    const cyclic: Record<string, unknown> = { name: 'a' };
    cyclic.children = [cyclic];

    expect((await send(Tree, () => cyclic)).message).toContain('circular');
    expect((await send(User, () => ({ id: new Map([[1, 1]]) }))).message).toContain(
      "'id' is a Map",
    );
    expect((await send(User, () => Object.assign(new Error('x'), ada))).message).toContain(
      'an Error',
    );
  });

  it('is found at any depth at which JSON can write', async () => {
    let value: object = { name: 'leaf', children: [], secret: 1 };
    for (let depth = 0; depth < 1000; depth += 1) value = { name: 'a', children: [value] };

    expect((await send(Tree, () => value)).text).not.toContain('secret');
  });
});

describe('a response schema that cannot become JSON Schema', () => {
  const validator: StandardSchema = {
    '~standard': { version: 1, vendor: 'homemade', validate: (value) => ({ value }) },
  };

  async function warnings(response: ResponseSchemas, options: ApplicationOptions = {}) {
    const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const { text } = await send(response, () => leaking, options);
    const messages = warn.mock.calls.map(([message]) => String(message));
    warn.mockRestore();
    return { messages, value: JSON.parse(text) };
  }

  it.each<[string, ResponseSchemas, string]>([
    [
      'without a converter',
      validator,
      "the validator 'homemade' does not convert schemas to JSON Schema.",
    ],
    [
      'of valibot without its wrapper',
      v.object({ id: v.string() }),
      'valibot without toStandardJsonSchema() of @valibot/to-json-schema does not',
    ],
    [
      'with a transform',
      z.string().transform((id) => ({ id })),
      'Transforms cannot be represented in JSON Schema.',
    ],
    [
      'with a transform, in valibot',
      toStandardJsonSchema(v.pipe(v.any(), v.transform(String))),
      '"transform"',
    ],
    ['with an instance, in arktype', type('Promise'), 'JSON Schema cannot represent the proto'],
    [
      'with a reference to nothing',
      { $ref: '#/definitions/User' },
      "it refers to '#/definitions/User'",
    ],
  ])(
    'is a warning at the start, and the response is sent as it is: %s',
    async (_what, response, reason) => {
      const { messages, value } = await warnings(response);

      expect(value).toEqual(leaking);
      expect(messages).toEqual([
        expect.stringMatching(
          /^Part of the response of GET \/users is sent as is, because its schema cannot be converted to JSON Schema: .+ or pass the schema to intended\(\)\.\n {2}At: .+$/,
        ),
      ]);
      expect(messages[0]).toContain(reason);
    },
  );

  it('loses only the part that is unknown', async () => {
    const response = z.object({ id: z.string().transform((id) => ({ id })), name: z.string() });
    const { messages, value } = await warnings(response);

    expect(value).toEqual(ada);
    expect(messages[0]).toContain(
      'JSON Schema: at /properties/id, Transforms cannot be represented',
    );
  });

  it.each<[string, ResponseSchemas]>([
    ['a Date', z.object({ at: z.date() })],
    ['a Date, in valibot', toStandardJsonSchema(v.object({ at: v.date() }))],
    ['a Date, in arktype', type({ at: 'Date' })],
    ['a bigint', z.object({ n: z.bigint().optional() })],
    ['undefined', z.undefined()],
    [
      'a condition, in valibot',
      toStandardJsonSchema(
        v.pipe(
          v.looseObject({}),
          v.check(() => true),
        ),
      ),
    ],
  ])('does not include %s, whose JSON has no members', async (_what, response) => {
    expect((await warnings(response)).messages).toEqual([]);
  });

  it.each<[string, StandardSchema]>([
    ['zod', z.object({ stats: z.object({ total: z.bigint() }) })],
    ['valibot', toStandardJsonSchema(v.object({ stats: v.object({ total: v.bigint() }) }))],
    ['arktype', type({ stats: { total: 'bigint' } })],
  ])('is a warning about a bigint that every response has, in %s', async (_what, response) => {
    expect((await warnings(response)).messages).toEqual([
      expect.stringMatching(
        /^Part of the response of GET \/users is a bigint, 'stats\.total', which JSON cannot write, so each is a 500\. Describe a string, and return String\(stats\.total\), or pass the schema to intended\(\)\.\n {2}At: .+$/,
      ),
    ]);
    expect((await warnings(intended({ 200: response }))).messages).toEqual([]);
  });

  it.each<[string, ResponseSchemas]>([
    ['a Set', z.object({ tags: z.set(z.string()) })],
    ['a Map', z.object({ tags: z.map(z.string(), z.string()) })],
    ['a Set, in valibot', toStandardJsonSchema(v.object({ tags: v.set(v.string()) }))],
  ])('says that JSON cannot write %s', async (_what, response) => {
    expect((await warnings(response)).messages).toEqual([
      expect.stringContaining(
        'Part of the response of GET /users is a Set or a Map, which JSON cannot write, so each that is not empty is a 500: ',
      ),
    ]);
  });

  it.each<[string, ResponseSchemas]>([
    ['may be absent', z.object({ n: z.bigint().optional() })],
    ['may be null', z.object({ n: z.bigint().nullable() })],
    ['is in a list, which may be empty', z.array(z.bigint())],
  ])('is none about a bigint that %s', async (_what, response) => {
    expect((await warnings(response)).messages).toEqual([]);
  });

  it('can be intended, for one status or all', async () => {
    const copy = (): StandardSchema => ({ ...validator });

    expect((await warnings(intended(copy()))).messages).toEqual([]);
    expect((await warnings({ 200: intended(copy()) })).messages).toEqual([]);
    expect((await warnings(intended({ 200: copy(), 201: copy() }))).messages).toEqual([]);
  });

  it('is no warning in an application that trusts responses', async () => {
    expect((await warnings(validator, { responses: 'trust' })).messages).toEqual([]);
  });

  it('is one warning for all schemas with the same reason', async () => {
    const { messages } = await warnings({ 200: validator, 201: { ...validator } });

    expect(messages).toEqual([expect.stringContaining('of GET /users is sent')]);
  });
});

function withStatus(status: number) {
  return (ctx: Context): void => {
    ctx.status = status;
  };
}

describe('a handler that sends no body', () => {
  it.each<[string, ResponseSchemas, (ctx: Context) => unknown]>([
    ['one schema', User, () => undefined],
    ['a schema of the default status', { 201: User }, () => undefined],
    ['a schema of the status it sets', { 200: User, 202: User }, withStatus(202)],
    ['a JSON Schema', { type: 'object' }, async () => undefined],
  ])('is a 500 with %s', async (_what, response, handler) => {
    expect(await send(response, handler)).toMatchObject({
      status: 500,
      code: 'NO_RESPONSE',
      message:
        'The route GET /users sent no body, but its response schema requires one. Return a value from its handler, respond through ctx, or describe 204 in response.',
    });
  });

  it.each<[number, ResponseSchemas, (ctx: Context) => unknown]>([
    [204, User, withStatus(204)],
    [304, User, withStatus(304)],
    [204, { 204: z.undefined() }, () => undefined],
    [200, { 200: User.optional() }, () => undefined],
    [302, User, (ctx) => ctx.redirect('/')],
    [404, User, withStatus(404)],
    [200, User, (ctx) => void ctx.takeOver().end()],
  ])('may respond with %i', async (status, response, handler) => {
    expect((await send(response, handler)).status).toBe(status);
  });

  it('may respond to HEAD', async () => {
    const app = createApp().get('/users', { response: User }, withStatus(200));
    expect((await app.request('/users', { method: 'HEAD' })).status).toBe(200);
  });
});

interface Sample {
  readonly schema: z.ZodType;
  readonly valid: unknown;
  /** The same value with further members in objects that are not records. */
  readonly polluted: unknown;
}

const same = (schema: z.ZodType, value: unknown): Sample => ({
  schema,
  valid: value,
  polluted: value,
});
const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', '__proto__', 'toString'), {
  maxLength: 4,
});

/** Creates an object in any order of its members. */
function objectOf(members: readonly (readonly [string, unknown])[]): object {
  return Object.fromEntries(members);
}

const { closed, sample } = fc.letrec<{ closed: Sample; sample: Sample }>((tie) => {
  const scalar = fc.oneof(
    fc.string().map((text) => same(z.string(), text)),
    fc.double().map((number) => same(z.number().or(z.nan()), number)),
    fc.constantFrom('x', 'y').map((text) => same(z.literal(text), text)),
    fc.constant(same(z.string().nullable(), null)),
  );
  const objectFrom = (inner: fc.Arbitrary<Sample>) =>
    fc
      .tuple(
        names,
        fc.array(inner, { minLength: 4, maxLength: 4 }),
        fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
      )
      .map(([keys, members, flags]): Sample => {
        const entries = keys.map(
          (key, index) => [key, members[index] ?? same(z.any(), 1)] as const,
        );
        const written = entries.filter((_, index) => flags[index]);
        const extra = [['secret', { hash: [1] }] as const].slice(flags[4] ? 0 : 1);
        return {
          schema: z.object(
            objectOf(
              entries.map(([key, { schema }], index) => [
                key,
                flags[index] ? schema : schema.optional(),
              ]),
            ) as z.ZodRawShape,
          ),
          valid: objectOf(written.map(([key, { valid }]) => [key, valid])),
          polluted: objectOf([
            ...extra,
            ...written.map(([key, { polluted }]) => [key, polluted] as const).reverse(),
          ]),
        };
      });
  const arrayFrom = (inner: fc.Arbitrary<Sample>) =>
    inner.map(
      ({ schema, valid, polluted }): Sample => ({
        schema: z.array(schema),
        valid: [valid, valid],
        polluted: [valid, polluted],
      }),
    );
  const unionFrom = (inner: fc.Arbitrary<Sample>) =>
    fc
      .tuple(inner, inner)
      // The other one may fit the value, too.
      .map(([one, other]): Sample => ({ ...one, schema: z.union([one.schema, other.schema]) }));
  const recordFrom = (inner: fc.Arbitrary<Sample>) =>
    fc.tuple(names, inner).map(
      ([keys, { schema, valid, polluted }]): Sample => ({
        schema: z.record(z.string(), schema),
        valid: objectOf(keys.map((key) => [key, valid])),
        polluted: objectOf(keys.map((key) => [key, polluted])),
      }),
    );
  const inner = tie('closed');
  return {
    // A record beside another branch may describe members that the value's own branch does not.
    closed: fc.oneof(
      { depthSize: 'small' },
      scalar,
      objectFrom(inner),
      arrayFrom(inner),
      unionFrom(inner),
    ),
    sample: fc.oneof(
      { depthSize: 'small' },
      inner,
      recordFrom(tie('sample')),
      objectFrom(tie('sample')),
      arrayFrom(tie('sample')),
    ),
  };
});

describe('a valid response', () => {
  it('is sent whole, and without what was added to it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(closed, sample), async ({ schema, valid, polluted }) => {
        const body = JSON.stringify(valid);
        expect((await send(schema, () => valid)).text).toBe(body);
        expect(JSON.parse((await send(schema, () => polluted)).text)).toEqual(JSON.parse(body));
      }),
      { numRuns: cases(60) },
    );
  }, 30_000);
});
