import { isStandardSchema, type StandardSchema } from '@fairlead/schemas';
import type { Context } from '../context/context.js';
import { EXCHANGE } from '../exchange/exchange.js';
import { contentOf } from './content.js';
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

/** Describes one input of a route, for documentation. */
export interface RouteInput {
  readonly source: 'param' | 'query' | 'header' | 'body';
  /** The parameter, header or member of the body; undefined for the whole source. */
  readonly name?: string | undefined;
  /** A Standard Schema; undefined if the value is not validated. */
  readonly schema?: StandardSchema | undefined;
  /** Whether a request without the value is rejected. */
  readonly required: boolean;
  /** Whether the value is the list of all values of a query parameter; false by default. */
  readonly all?: boolean;
}

/** Where the text of an input is. */
export type TextInput = Pick<RouteInput, 'source' | 'name' | 'all'>;

/** What a request has for the inputs of its path and its query. */
export type TextSource = Pick<Context, 'params' | 'query' | 'searchParams'>;

/** Creates the function that reads an input of a path or a query for its schema, and converts its text. */
export function createTextReader(
  input: TextInput & { readonly source: 'param' | 'query' },
  schema: StandardSchema,
): (source: TextSource) => unknown {
  // It reads nothing else of a context.
  return createReader(input, schema) as (source: TextSource) => unknown;
}

/** Creates the function that reads an input for its schema, and converts its text. */
export function createReader(input: TextInput, schema: StandardSchema): Read {
  return input.name === undefined
    ? createWholeReader(input.source, schema)
    : createMemberReader(input, input.name, schema);
}

function createWholeReader(source: RouteInput['source'], schema: StandardSchema): Read {
  const plan = planText(schema, STYLES[source]);
  if (plan.isPlain) return WHOLE[source];
  switch (source) {
    case 'param':
      return (ctx) => readSimple(plan, ctx.params);
    case 'query':
      return (ctx) => readQuery(plan, ctx.searchParams);
    case 'header':
      return (ctx) => readSimple(plan, ctx.headers);
    case 'body':
      return (ctx) => (isForm(ctx) ? readForm(plan, ctx.body) : ctx.body);
  }
}

/** Read inputs of which every text stays as it is. */
const WHOLE: Readonly<Record<RouteInput['source'], Read>> = {
  param: (ctx) => ctx.params,
  query: (ctx) => ctx.query,
  header: (ctx) => ctx.headers,
  body: (ctx) => ctx.body,
};

function createMemberReader(
  { source, all }: TextInput,
  name: string,
  schema: StandardSchema,
): Read {
  const style = STYLES[source];
  const member = planMember(schema, style);
  const { carrier, readAll, readText } = member;
  const only = planOnly(name, member, style);
  const isPlain = carrier === 'text' && readText === undefined;
  switch (source) {
    case 'param':
      if (isPlain) return (ctx) => ctx.params[name];
      return (ctx) => readSimpleValue(member, ctx.params[name]);
    case 'header':
      if (isPlain) return (ctx) => ctx.get(name);
      return (ctx) => readSimpleValue(member, ctx.get(name));
    case 'body':
      return (ctx) => ownMember(isForm(ctx) ? readForm(only, ctx.body) : ctx.body, name);
    case 'query':
      if (all === true && carrier !== 'object') {
        return (ctx) => {
          const values = ctx.searchParams.getAll(name);
          return values.length === 0 ? undefined : readAll(values);
        };
      }
      if (carrier !== 'text') return (ctx) => readQuery(only, ctx.searchParams)[name];
      if (isPlain) return (ctx) => ctx.query[name];
      return (ctx) => {
        const text = ctx.query[name];
        return text === undefined ? undefined : readText?.(text);
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

/** Creates the function that converts the text of forms for a `content()`, which describes each media type. */
export function createFormReader(
  schema: StandardSchema,
): (essence: string, body: unknown) => unknown {
  const forms = new Map(
    contentOf(schema)?.mediaTypes.flatMap(({ type = '', schema: own }) =>
      FORM.test(type) && isStandardSchema(own) ? [[type, planText(own, 'form')] as const] : [],
    ),
  );
  return (essence, body) => {
    const plan = forms.get(essence);
    return plan === undefined ? body : readForm(plan, body);
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
function isForm(ctx: Context): boolean {
  const { req } = ctx[EXCHANGE];
  const type = req.headers['content-type'];
  return type !== undefined && FORM.test(type);
}
