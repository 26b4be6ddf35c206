import {
  type Application,
  createApp,
  errorHandler,
  ForbiddenError,
  intended,
  json,
  type Middleware,
  text,
  urlencoded,
} from '@fairlead/core';
import { describe as describeFunction } from '@fairlead/core/extend';
import { warningsOf } from '@fairlead/test-support/start-warnings';
import { describe, expect, it } from 'vitest';
import { multipart, type PartsOptions, parts } from '../src/index.js';
import { field, file, form, part, post, statusAndCode } from './support/form.js';
import { describePart } from './support/parts.js';

/** Both ways to read a form, with rules. */
const readers = {
  'multipart()': (options: PartsOptions) =>
    createApp().use(errorHandler(), multipart(options), (ctx) => {
      ctx.json(Object.keys(ctx.body as object));
    }),
  'parts()': (options: PartsOptions) =>
    createApp().use(errorHandler(), async (ctx) => {
      const names = new Set<string>();
      for await (const one of parts(ctx, options)) {
        await describePart(one);
        names.add(one.name);
      }
      ctx.json([...names]);
    }),
};

const typed = (type: string, content = '', name = 'a') =>
  part(
    [`Content-Disposition: form-data; name=${name}; filename=b`, `Content-Type: ${type}`],
    content,
  );

describe.each(Object.entries(readers))('rules of %s', (_, create) => {
  it.each<[string, PartsOptions['rules'], string, readonly [number, string] | 200]>([
    ['a required field', { a: { required: true } }, form(field('a')), 200],
    ['a missing field', { a: { required: true } }, form(field('b')), [400, 'MISSING_PART']],
    ['a missing field of an empty form', { a: { required: true } }, form(), [400, 'MISSING_PART']],
    ['an absent optional field', { a: { maxCount: 1 } }, form(), 200],
    [
      'an empty input for a required file',
      { a: { required: true } },
      form(file('a', '')),
      [400, 'MISSING_PART'],
    ],
    ['a field for a field', { a: { kind: 'field' } }, form(field('a')), 200],
    [
      'a file for a field',
      { a: { kind: 'field' } },
      form(file('a', 'b')),
      [400, 'WRONG_PART_KIND'],
    ],
    ['a field for a file', { a: { kind: 'file' } }, form(field('a')), [400, 'WRONG_PART_KIND']],
    ['as many parts as allowed', { a: { maxCount: 2 } }, form(field('a').repeat(2)), 200],
    [
      'more parts than allowed',
      { a: { maxCount: 2 } },
      form(field('a').repeat(3)),
      [413, 'TOO_MANY_VALUES'],
    ],
    ['as many files as allowed', { a: { maxCount: 1 } }, form(file('a', 'b')), 200],
    [
      'more files than allowed',
      { a: { maxCount: 1 } },
      form(file('a', 'b').repeat(2)),
      [413, 'TOO_MANY_VALUES'],
    ],
    ['other parts', { a: { maxCount: 1 } }, form(field('b').repeat(9)), 200],
    ['a part of the largest size', { a: { maxSize: 3 } }, form(field('a', 'xyz')), 200],
    ['a larger field', { a: { maxSize: 3 } }, form(field('a', 'wxyz')), [413, 'PART_TOO_LARGE']],
    ['a larger file', { a: { maxSize: 3 } }, form(file('a', 'b', 'wxyz')), [413, 'PART_TOO_LARGE']],
    [
      'a size above the limit',
      { a: { maxSize: 70_000 } },
      form(field('a', 'x'.repeat(66_000))),
      200,
    ],
    ['an accepted type', { a: { mediaTypes: ['image/png'] } }, form(typed('Image/PNG; q=1')), 200],
    [
      'an accepted range',
      { a: { mediaTypes: ['text/x', 'Image/*'] } },
      form(typed('image/gif')),
      200,
    ],
    ['any type', { a: { mediaTypes: ['*/*'] } }, form(typed('x/y')), 200],
    [
      'another type',
      { a: { mediaTypes: ['image/png'] } },
      form(typed('image/pngx')),
      [415, 'UNSUPPORTED_PART_TYPE'],
    ],
    [
      'a type that contains another',
      { a: { mediaTypes: ['image/*'] } },
      form(typed('x/image/png')),
      [415, 'UNSUPPORTED_PART_TYPE'],
    ],
    [
      'no type',
      { a: { mediaTypes: ['image/*'] } },
      form(file('a', 'b')),
      [415, 'UNSUPPORTED_PART_TYPE'],
    ],
    ['a suffix', { a: { mediaTypes: ['image/*+xml'] } }, form(typed('image/svg+xml')), 200],
    ['spaces before a type', { a: { mediaTypes: ['image/*'] } }, form(typed('  image/png')), 200],
    ['a field without a type', { a: { mediaTypes: ['text/plain'] } }, form(field('a')), 200],
    [
      'an empty input',
      { a: { mediaTypes: ['image/*'], maxCount: 1 } },
      form(file('a', '').repeat(2)),
      200,
    ],
    [
      'content without a name',
      { a: { mediaTypes: ['image/*'] } },
      form(file('a', '', 'x')),
      [400, 'FILE_REJECTED'],
    ],
    [
      'content without a name before another part',
      { a: { maxCount: 1 } },
      form(file('a', '', 'x'.repeat(9_000)), field('b')),
      [400, 'FILE_REJECTED'],
    ],
  ])('handle %s', async (_case, rules, body, expected) => {
    const response = await post(create({ rules: rules ?? {} }), body);
    const received = response.ok ? response.status : await statusAndCode(response);
    expect(received).toEqual(expected);
  });

  it('accept names that objects inherit', async () => {
    const rules = { constructor: { maxCount: 1 } };
    const body = form(field('constructor'), field('toString').repeat(2));
    const response = await post(create({ rules }), body);
    expect(await response.json()).toEqual(['constructor', 'toString']);
  });

  it('leave out an empty input', async () => {
    const body = form(file('a', ''), field('b'), file('a', ''));
    const response = await post(create({ rules: { a: { maxCount: 1 } } }), body);
    expect(await response.json()).toEqual(['b']);
  });
});

describe('multipart() with rules', () => {
  const rules = { film: { kind: 'file', required: true } } as const;

  /** An application with a parser of other bodies above, which sends what it has read. */
  const create = (...parsers: readonly Middleware[]) =>
    createApp().use(...parsers, multipart({ rules }), (ctx) => ctx.json(ctx.body ?? null));

  it.each([
    ['application/json', '{"film":{"path":"/etc/hostname"}}'],
    ['application/x-www-form-urlencoded', 'film=a'],
    ['text/plain', 'film'],
  ])('rejects a body of the type %s, even if it has been read', async (type, body) => {
    for (const app of [create(), create(json(), urlencoded(), text())]) {
      const response = await post(app, body, { 'Content-Type': type });
      expect(await statusAndCode(response)).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    }
  });

  it.each(['POST', 'PUT', 'PATCH', 'QUERY'])('rejects %s without a body', async (method) => {
    const response = await create().request('/', { method });
    expect(await statusAndCode(response)).toEqual([400, 'MISSING_PART']);
  });

  it.each(['GET', 'DELETE'])('passes %s without a body on', async (method) => {
    expect((await create().request('/', { method })).status).toBe(200);
  });

  it.each([
    ['before', form(file('film', ''), file('film', 'a'))],
    ['after', form(file('film', 'a'), file('film', ''))],
  ])('has one value for an empty input %s a file', async (_, body) => {
    expect(await (await post(create(), body)).json()).toMatchObject({ film: { fileName: 'a' } });
  });

  it('reports a form that another parser has read without them', async () => {
    const errors: unknown[] = [];
    const app = createApp({ onError: (error) => errors.push(error) });
    app.use(multipart(), multipart({ rules }), (ctx) => ctx.json(null));
    expect((await post(app, form(field('film')))).status).toBe(500);
    expect(errors).toEqual([
      expect.objectContaining({
        message:
          'Cannot read the parts of POST /: another body parser has read the body. Remove it from this route.',
      }),
    ]);
  });
});

describe.each(Object.entries(readers))('the filter of %s', (_, create) => {
  it('accepts files of the listed media types, and all fields', async () => {
    const app = create({ filter: ['image/*'] });
    expect((await post(app, form(typed('image/png', 'x'), field('b', 'x')))).status).toBe(200);
    expect(await statusAndCode(await post(app, form(typed('text/html'))))).toEqual([
      415,
      'UNSUPPORTED_PART_TYPE',
    ]);
  });

  it('gives way to the media types of a rule', async () => {
    const app = create({ filter: ['image/*'], rules: { a: { mediaTypes: ['text/csv'] } } });
    expect((await post(app, form(typed('text/csv')))).status).toBe(200);
    expect((await post(app, form(typed('image/png')))).status).toBe(415);
    expect((await post(app, form(typed('image/png', '', 'c')))).status).toBe(200);
  });

  it('can be a function, which receives what is known of the file', async () => {
    const seen: unknown[] = [];
    const app = create({
      filter: ({ headers, ...rest }, ctx) => {
        seen.push({ ...rest, part: headers['content-type'], path: ctx.path });
        return rest.fileName === 'b';
      },
    });
    const accepted = await post(app, form(field('z'), typed('image/png'), file('e', '')));
    expect(accepted.status).toBe(200);
    expect(seen).toEqual([
      { name: 'a', fileName: 'b', mediaType: 'image/png', part: 'image/png', path: '/' },
    ]);
  });

  it.each([false, undefined, null, 1, 'yes', Promise.resolve(false)])(
    'rejects the form when the function returns %o',
    async (result) => {
      const app = create({ filter: () => result as boolean });
      const response = await post(app, form(typed('image/png', 'x'.repeat(100_000))));
      expect(await statusAndCode(response)).toEqual([400, 'FILE_REJECTED']);
    },
  );

  it('may throw an error, which chooses the response', async () => {
    const app = create({
      filter: async () => {
        throw new ForbiddenError('Not you.');
      },
    });
    expect((await post(app, form(typed('image/png')))).status).toBe(403);
  });
});

describe('json: true', () => {
  const app = createApp().use(
    errorHandler(),
    multipart({ rules: { meta: { json: true } }, filter: ['image/*'] }),
    (ctx) => ctx.json(ctx.body),
  );

  it.each([
    ['a field', field('meta', '{"a":[1]}')],
    ['a file, as browsers send a Blob', typed('application/json', '{"a":[1]}', 'meta')],
  ])('parses %s', async (_, body) => {
    expect(await (await post(app, form(body))).json()).toEqual({ meta: { a: [1] } });
  });

  it('keeps an array apart from a repeated name', async () => {
    const one = await post(app, form(field('meta', '[1]')));
    expect(await one.json()).toEqual({ meta: [1] });
    const two = await post(app, form(field('meta', '[1]'), field('meta', '2')));
    expect(await two.json()).toEqual({ meta: [[1], 2] });
  });

  it('yields parts of the kind json', async () => {
    const reader = createApp().use(async (ctx) => {
      const all: unknown[] = [];
      for await (const part of parts(ctx, { rules: { meta: { json: true } } })) {
        all.push(await describePart(part));
      }
      ctx.json(all);
    });
    const response = await post(reader, form(field('meta', 'null')));
    expect(await response.json()).toEqual([{ kind: 'json', name: 'meta', value: null }]);
  });

  it.each([
    ['{', [400, 'MALFORMED_JSON']],
    ['', [400, 'MALFORMED_JSON']],
    ['{"__proto__":{}}', [400, 'FORBIDDEN_KEY']],
    ['{"constructor":{"prototype":{}}}', [400, 'FORBIDDEN_KEY']],
    ['['.repeat(2_000) + ']'.repeat(2_000), [400, 'JSON_TOO_DEEP']],
    [`"${'x'.repeat(65_536)}"`, [413, 'FIELD_TOO_LARGE']],
  ])('rejects %.20s', async (content, expected) => {
    expect(await statusAndCode(await post(app, form(field('meta', content))))).toEqual(expected);
  });
});

it.each<[unknown, string, ...string[]]>([
  [
    { rules: { a: { maxcount: 1, maxSize: '5mb', kind: 'text' } } },
    'INVALID_OPTION',
    "multipart({ rules: { a } }) has no option 'maxcount'. Did you mean 'maxCount'?",
    "maxSize of multipart({ rules: { a } }) must be a non-negative integer or Infinity: got '5mb'.",
    "kind of multipart({ rules: { a } }) must be 'field' or 'file': got 'text'.",
  ],
  [
    { rules: { a: true } },
    'INVALID_OPTION',
    'options of multipart({ rules: { a } }) must be an object: got true.',
  ],
  [
    { rules: [], filter: 'image/png', skip: true, tempFiles: '/does/not/exist' },
    'INVALID_OPTION',
    'rules of multipart() must be an object: got [].',
    "filter of multipart() must be an array of media types such as 'image/png' or 'image/*' or a function: got 'image/png'.",
    'skip of multipart() must be a function: got true.',
    "tempFiles of multipart() must be true, false or an existing directory: got '/does/not/exist'.",
  ],
])('multipart() rejects %j with one error', (options, code, ...messages) => {
  expect(() => Reflect.apply(multipart, undefined, [options])).toThrow(
    expect.objectContaining({ name: 'SetupError', code, message: messages.join('\n') }),
  );
});

describe('rules and limits that contradict each other', () => {
  const MiB = 1024 ** 2;

  it.each<[PartsOptions, string]>([
    [
      { limits: { files: 0 }, rules: { photo: { kind: 'file', required: true } } },
      'multipart() requires 1 files, but its limit of files is 0, so it rejects every form. Pass limits: { files: 1 }, or do not require the parts.',
    ],
    [
      { limits: { parts: 1 }, rules: { a: { required: true }, b: { required: true } } },
      'multipart() requires 2 parts, but its limit of parts is 1',
    ],
  ])('are refused if no form fits: %o', (options, message) => {
    expect(() => multipart(options)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringContaining(message),
      }),
    );
  });

  const warningsAbout = (middleware: Middleware) =>
    warningsOf(createApp().post('/', middleware, () => 1));

  it.each<[PartsOptions, string]>([
    [
      { rules: { video: { kind: 'file', maxSize: 100 * MiB } } },
      'maxSize of multipart({ rules: { video } }) is 104857600 bytes, but a whole form has at most 10485760. Pass a larger totalSize in limits, a smaller maxSize, or pass the middleware to intended().',
    ],
    [
      { rules: { photos: { kind: 'file', maxCount: 20 } } },
      'maxCount of multipart({ rules: { photos } }) is 20, but a form has at most 10 files. Pass a larger limit, as in limits: { files: 20 }, a smaller maxCount, or',
    ],
    [
      { rules: { photo: { kind: 'file', mediaTypes: ['image/jpg'] } } },
      "multipart() accepts 'image/jpg', which no browser sends. Write 'image/jpeg', or",
    ],
    [
      { limits: { fileSize: 50 * MiB } },
      'fileSize of multipart({ limits }) is 52428800, but a whole form has at most 10485760 bytes. Pass a larger totalSize, a smaller fileSize, or pass the middleware to intended().',
    ],
    [
      { limits: { fields: 200 } },
      'fields of multipart({ limits }) is 200, but a whole form has at most 110 parts. Pass a larger parts,',
    ],
    [{ filter: ['image/svg'] }, "multipart() accepts 'image/svg', which no browser sends."],
    [
      { rules: { photo: { kind: 'field', mediaTypes: ['image/png'] } } },
      "multipart({ rules: { photo } }) accepts only image/png, but browsers send fields as text/plain. Use kind: 'file', omit mediaTypes, or",
    ],
  ])('cause a warning, unless they are intended: %o', (options, message) => {
    expect(warningsAbout(multipart(options))).toEqual([expect.stringContaining(message)]);
    expect(warningsAbout(intended(multipart(options)))).toEqual([]);
  });

  it.each<[PartsOptions]>([
    [{ rules: { a: { kind: 'file', maxSize: Number.POSITIVE_INFINITY } } }],
    [{ rules: { a: { kind: 'file', maxSize: 5 * MiB, maxCount: 10, required: true } } }],
    [{ rules: { a: { kind: 'file', mediaTypes: ['image/jpg', 'image/jpeg'] } } }],
    [{ rules: { a: { kind: 'field', json: true, mediaTypes: ['application/json'] } } }],
    [{ rules: { a: { kind: 'field', mediaTypes: ['text/*'] } } }],
    [{ limits: { files: 0 }, rules: { a: { kind: 'file' } } }],
    [{ limits: { fileSize: Number.POSITIVE_INFINITY } }],
    [{ limits: { totalSize: MiB } }],
    [{ limits: { fileSize: 50 * MiB, totalSize: 51 * MiB } }],
    [{ limits: { files: 0 }, rules: { a: { kind: 'file', required: true, json: true } } }],
  ])('are none in %o', (options) => {
    expect(warningsAbout(multipart(options))).toEqual([]);
  });
});

describe('multipart() before a check of the user', () => {
  const bearer = { name: 'bearer', scheme: { type: 'http', scheme: 'bearer' } } as const;
  const signIn = () =>
    describeFunction<Middleware>((_ctx, next) => next(), {
      name: 'auth.middleware',
      role: 'middleware',
      security: bearer,
    });
  const guard = describeFunction(() => true, {
    name: 'jwtGuard(auth)',
    role: 'guard',
    middleware: 'auth.middleware',
    security: bearer,
  });
  const guarded = describeFunction(() => 1, { runs: [guard] });

  it('causes a warning that tells what to register first', () => {
    const message =
      'for example for POST /. Register auth.middleware before multipart(), or read the form in the handler with parts(). If anyone may upload, pass multipart() to intended().';
    expect(warningsOf(createApp().post('/', multipart(), signIn(), () => 1))).toEqual([
      expect.stringContaining(
        `multipart() reads uploads before auth.middleware checks who sends them, ${message}`,
      ),
    ]);
    expect(warningsOf(createApp().use(multipart()).post('/', guarded))).toEqual([
      expect.stringContaining(
        `multipart() reads uploads before jwtGuard(auth) checks who sends them, ${message}`,
      ),
    ]);
  });

  it.each<[string, () => Application]>([
    ['it runs after one', () => createApp().use(signIn()).post('/', multipart(), guarded)],
    [
      'an unknown function is before it, which may be one',
      () =>
        createApp()
          .use((_ctx, next) => next())
          .post('/', multipart(), guarded),
    ],
    [
      'the check is a guard that is no middleware',
      () => {
        const hasKey = describeFunction(() => true, { role: 'guard', security: bearer });
        return createApp().post(
          '/',
          multipart(),
          describeFunction(() => 1, { runs: [hasKey] }),
        );
      },
    ],
    ['it is intended', () => createApp().post('/', intended(multipart()), guarded)],
    ['there is none', () => createApp().post('/', multipart(), () => 1)],
  ])('causes none if %s', (_, start) => {
    expect(warningsOf(start())).toEqual([]);
  });
});

it('parts() has neither tempFiles nor skip', async () => {
  const app = createApp().use((ctx) => {
    const call = () =>
      Reflect.apply(parts, undefined, [ctx, { tempFiles: true, skip: () => true }]);
    expect(call).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
    ctx.json(null);
  });
  expect((await post(app, form())).status).toBe(200);
});
