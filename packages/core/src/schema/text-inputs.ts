import type { Context } from '../exchange/context.js';
import type { RouteInput } from '../router/route-options.js';
import { contentOf } from './content.js';
import { isStandardSchema, type StandardSchema } from './schema.js';
import {
  planMember,
  planText,
  readForm,
  readQuery,
  readSimple,
  readSimpleValue,
  type Style,
  type TextMember,
  type TextPlan,
} from './text-plan.js';

type Read = (ctx: Context) => unknown;

/** Where the text of an input is. */
export type TextInput = Pick<RouteInput, 'source' | 'name' | 'all'>;

/** Creates the function that reads an input for its schema, and converts its text. */
export function createTextReader(input: TextInput, schema: StandardSchema): Read {
  return input.name === undefined
    ? createWholeReader(input.source, schema)
    : createMemberReader(input, input.name, schema);
}

function createWholeReader(source: RouteInput['source'], schema: StandardSchema): Read {
  const plan = later(() => planText(schema, STYLES[source]));
  switch (source) {
    case 'param':
      return (ctx) => (plan().isPlain ? ctx.params : readSimple(plan(), ctx.params));
    case 'query':
      return (ctx) => (plan().isPlain ? ctx.query : readQuery(plan(), ctx.searchParams));
    case 'header':
      return (ctx) => (plan().isPlain ? ctx.headers : readSimple(plan(), ctx.headers));
    case 'body':
      return (ctx) => (isForm(ctx) ? readForm(plan(), ctx.body) : ctx.body);
  }
}

function createMemberReader(
  { source, all }: TextInput,
  name: string,
  schema: StandardSchema,
): Read {
  const style = STYLES[source];
  const member = later(() => planMember(schema, style));
  const only = later(() => planOnly(name, member(), style));
  const readObject = (form: unknown): unknown => ownMember(readForm(only(), form), name);
  switch (source) {
    case 'param':
      return (ctx) => readSimpleValue(member(), ctx.params[name]);
    case 'header':
      return (ctx) => readSimpleValue(member(), ctx.get(name));
    case 'body':
      return (ctx) => (isForm(ctx) ? readObject(ctx.body) : ownMember(ctx.body, name));
    case 'query':
      return (ctx) => {
        const { carrier, readAll, readText } = member();
        if (carrier === 'object') return readQuery(only(), ctx.searchParams)[name];
        if (all === true) {
          const values = ctx.searchParams.getAll(name);
          return values.length === 0 ? undefined : readAll(values);
        }
        if (carrier === 'list') return readQuery(only(), ctx.searchParams)[name];
        const text: unknown = ctx.query[name];
        return typeof text === 'string' && readText !== undefined ? readText(text) : text;
      };
  }
}

const STYLES: Readonly<Record<RouteInput['source'], Style>> = {
  param: 'simple',
  header: 'simple',
  query: 'query',
  body: 'form',
};

function planOnly(name: string, member: TextMember, style: Style): TextPlan {
  return {
    style,
    members: new Map([[name, member]]),
    rest: undefined,
    isPlain: false,
    isDeep: true,
  };
}

/** Schemas may refer to others that are declared later. */
function later<Value>(create: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= create();
    return value;
  };
}

/** Creates the function that converts the text of forms for a `content()`, which describes each media type. */
export function createFormReader(
  schema: StandardSchema,
): (essence: string, body: unknown) => unknown {
  const forms = new Map(
    contentOf(schema)?.mediaTypes.flatMap(({ type = '', schema: own }) =>
      FORM.test(type) && isStandardSchema(own)
        ? [[type, later(() => planText(own, 'form'))] as const]
        : [],
    ),
  );
  return (essence, body) => {
    const plan = forms.get(essence);
    return plan === undefined ? body : readForm(plan(), body);
  };
}

/** Ignores inherited members: the field `constructor` is absent unless the client sent it. */
function ownMember(object: unknown, name: string): unknown {
  if (typeof object !== 'object' || object === null || !Object.hasOwn(object, name))
    return undefined;
  return Reflect.get(object, name);
}

const FORM = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i;

/** Whether the values of a body are text, unless its parser has converted them. */
function isForm({ req }: Context): boolean {
  const type = req.headers['content-type'];
  return type !== undefined && FORM.test(type);
}
