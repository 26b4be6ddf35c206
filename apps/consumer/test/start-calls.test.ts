import 'reflect-metadata';
import {
  Body,
  Controller,
  controllersPlugin,
  defineController,
  Get,
  Header,
  Param,
  Post,
  Query,
} from '@fairlead/controllers';
import { createApp, createRouter, json, listen, type StandardSchema } from '@fairlead/core';
import { carriersOf } from '@fairlead/core/extend';
import { mcp } from '@fairlead/mcp';
import { openapi } from '@fairlead/openapi';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';

const called = vi.fn();

/** Fails in each way that a function of an application can fail. */
const rejects = async (value: unknown) => {
  called(value);
  throw new Error('A start called a function of the application.');
};
const throws = (value?: unknown): never => {
  called(value);
  throw new Error('A start called a function of the application.');
};

const text = z.string();
const strings = v.string();

/** What a member of an input may be, apart from defaults and fallbacks. */
const MEMBERS: Readonly<Record<string, Readonly<Record<string, StandardSchema>>>> = {
  zod: {
    refined: text.refine(rejects),
    checked: text.check(throws).superRefine(throws),
    transformed: text.transform(throws).optional(),
    piped: text.transform<number>(throws).pipe(z.number().refine(throws)),
    prepared: z.preprocess(throws, z.array(text)),
    coded: z.codec(text, z.number(), { decode: throws, encode: throws }),
    listed: z.array(z.number().refine(throws)),
    either: z.union([text.refine(throws), z.number().transform(throws)]),
    lazy: z.lazy(() => text.refine(throws)),
  },
  valibot: {
    checked: v.pipe(
      strings,
      v.check((value: string) => throws(value)),
    ),
    transformed: v.pipe(strings, v.transform<string, number>(throws), v.number()),
    raw: v.pipe(v.array(strings), v.rawCheck(throws)),
    lazy: v.lazy(() =>
      v.pipe(
        strings,
        v.check((value: string) => throws(value)),
      ),
    ),
  },
  arktype: {
    narrowed: type('string').narrow(throws),
    piped: type('string').pipe(throws),
    listed: type('number').narrow(throws).array(),
    either: type('number').narrow(throws).or(type('string').pipe(throws)),
  },
};

function objectOf(library: string, members: Readonly<Record<string, StandardSchema>>) {
  if (library === 'zod') return z.object(members as Record<string, z.ZodType>).refine(rejects);
  if (library === 'valibot')
    return v.pipe(
      v.object(members as Record<string, v.GenericSchema>),
      v.check((value: Record<string, unknown>) => throws(value)),
    );
  return type(members as object).narrow(throws) as StandardSchema;
}

/** The schema of a list; the schema itself if it is one, or its library has none. */
function listOf(one: StandardSchema): StandardSchema {
  const { vendor } = one['~standard'];
  if (carriersOf(one, 'list').get('list') === 'list') return one;
  if (vendor === 'zod') return z.array(one as z.ZodType);
  if (vendor === 'valibot') return v.array(one as v.GenericSchema);
  return vendor === 'arktype' ? (type(one as object).array() as StandardSchema) : one;
}

/** Creates an application in all three styles, whose inputs have a schema. */
async function createStyles(whole: StandardSchema, one: StandardSchema, response?: object) {
  const options = { query: whole, headers: whole, ...(response && { response }) };
  const app = createApp()
    .use(json())
    .get('/functions/:name', { ...options, params: whole }, throws)
    .post('/functions', { body: whole }, throws);
  const values = defineController('/values', {
    routes: ({ get, post }) => ({
      find: get('/', options, throws),
      add: post('/', { body: whole }, throws),
    }),
  });

  @Controller('/classes')
  class Classes {
    @Get('/:name')
    find(
      @Param('name', { schema: one }) _name: unknown,
      @Query('name', { schema: one }) _query: unknown,
      @Query('names', { schema: listOf(one), all: true }) _names: unknown,
      @Header('X-Name', { transform: one }) _header: unknown,
    ) {
      throws();
    }

    @Post('/')
    add(@Query({ schema: whole }) _query: unknown, @Body({ schema: whole }) _body: unknown) {
      throws();
    }
  }
  const router = createRouter();
  await app.plugin(controllersPlugin({ router, controllers: [values, Classes] }));
  return app.route('/', router);
}

afterEach(() => called.mockClear());

describe.each(Object.entries(MEMBERS))('a start with schemas of %s', (library, members) => {
  it.each(Object.entries(members))('calls no function of one that is %s', async (_, member) => {
    vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    const whole = objectOf(library, { member });
    const app = await createStyles(whole, member, whole);
    const server = await listen(app, 0);
    onTestFinished(() => server.close({ timeout: 0 }));
    expect(called).not.toHaveBeenCalled();
  });

  it('calls none for documents and tools', async () => {
    vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    const convertible = (schema: StandardSchema) =>
      library === 'valibot' ? toStandardJsonSchema(schema as v.GenericSchema) : schema;
    const whole = convertible(objectOf(library, members));
    const [member = whole] = Object.values(members).map(convertible);
    const app = await createStyles(whole, member);
    const info = { title: 'Test', version: '1' };
    await app.plugin(openapi({ info, unrepresentable: 'any' }));
    await app.plugin(mcp({ name: 'test', version: '1.0.0' }));
    app.post('/tool', { body: whole, tool: true, public: 'Everyone may call it.' }, throws);
    const server = await listen(app, 0);
    onTestFinished(() => server.close({ timeout: 0 }));
    const document = await fetch(new URL('/openapi.json', server.url));
    expect(document.status).toBe(200);
    expect(called).not.toHaveBeenCalled();
  });
});

it.each<[string, StandardSchema]>([
  ['a default of zod', text.default(throws)],
  ['a prefault of zod', text.prefault(throws)],
  ['a catch of zod', text.catch(throws)],
  ['a custom schema of zod', z.custom(throws)],
  ['a default of valibot', v.optional(strings, throws)],
  ['a fallback of valibot', v.fallback(strings, throws)],
  ['a custom schema of valibot', v.custom(throws)],
  [
    'another library',
    { '~standard': { version: 1, vendor: 'other', validate: throws } } as StandardSchema,
  ],
])('a start calls no function of %s', async (_, member) => {
  vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
  const library = member['~standard'].vendor;
  const whole = library === 'other' ? member : objectOf(library, { member });
  const server = await listen(await createStyles(whole, member), 0);
  onTestFinished(() => server.close({ timeout: 0 }));
  expect(called).not.toHaveBeenCalled();
});
