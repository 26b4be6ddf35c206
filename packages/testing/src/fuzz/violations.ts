import { essenceOf, includesType, isJson, NO_CONTENT_STATUSES } from '@fairlead/options';
import type { Misfit } from '@fairlead/schemas';
import type { Api, DescribedResponse } from './operations.js';
import type { Answer, Exchange } from './send.js';

/** A promise that an application keeps; the README describes each. */
export type FuzzRule =
  | ('server-error' | 'no-response' | 'response' | 'invalid-request' | 'access')
  | ('repeat' | 'etag' | 'lost' | 'not-deleted');

/** Every promise. The type keeps the list complete. */
const BY_NAME: Readonly<Record<FuzzRule, true>> = {
  'server-error': true,
  'no-response': true,
  response: true,
  'invalid-request': true,
  access: true,
  repeat: true,
  etag: true,
  lost: true,
  'not-deleted': true,
};

export const RULES = Object.keys(BY_NAME) as readonly FuzzRule[];

/** An application that does not keep a promise. */
export class Violation extends Error {
  /**
   * @param exchanges - What led to it. The last response is the one at fault.
   * @param assertion - The line of a test, about `response`, that fails.
   */
  constructor(
    readonly rule: FuzzRule,
    message: string,
    readonly exchanges: readonly Exchange[],
    readonly assertion: string,
  ) {
    super(message);
  }
}

/** Throws unless there was a response, and it is no error of the server. */
export function checkServer(exchanges: readonly Exchange[]): void {
  const exchange = exchanges.at(-1);
  if (exchange === undefined) return;
  const { response, request } = exchange;
  const { status, error } = response;
  const ok = 'expect(response.status).toBeLessThan(500);';
  if (status === 0) {
    const reason = describeError(error);
    throw new Violation('no-response', `There was no response: ${reason}`, exchanges, ok);
  }
  if (status < 500 || request.operation.ownStatuses.has(status) || isDeclared(exchange)) return;
  const { code } = Object(error) as { readonly code?: unknown };
  const cause = error === undefined ? '' : `: ${describeError(error)}`;
  if (code === 'RESPONSE_SCHEMA') {
    throw new Violation('response', `The response does not fit its schema${cause}`, exchanges, ok);
  }
  throw new Violation('server-error', `The response is ${status}${cause}`, exchanges, ok);
}

/** Whether the route itself lists a status, such as 503, among its errors. */
function isDeclared({ request, response }: Exchange): boolean {
  const { errors = [] } = request.operation.route.options;
  const statuses = Array.isArray(errors) ? errors : Object.keys(errors).map(Number);
  return statuses.includes(response.status);
}

type Fail = (message: string, assertion: string) => never;

/** Throws unless a response is one that the document describes. */
export function checkDescribed(exchanges: readonly Exchange[], api: Api): void {
  const exchange = exchanges.at(-1);
  if (exchange === undefined) return;
  const { request, response } = exchange;
  const { responses } = request.operation;
  const { status, type, text } = response;
  const described =
    responses[status] ??
    responses[`${Math.floor(status / 100)}XX`] ??
    (status >= 400 ? responses.default : undefined);
  const fail: Fail = (message, assertion) => {
    throw new Violation('response', message, exchanges, assertion);
  };
  if (described === undefined) {
    const known = Object.keys(responses).filter((one) => one !== 'default');
    fail(
      `The route does not describe the status ${status}, but ${known.join(', ')}.`,
      `expect([${known.filter((one) => Number(one) < 400).join(', ')}]).toContain(response.status);`,
    );
  }
  checkHeaders(response, described, api, fail);
  const types = Object.keys(described.content ?? {});
  const hasBody = !NO_CONTENT_STATUSES.has(status) && request.method !== 'HEAD';
  if (types.length === 0 || !hasBody || (status >= 400 && !api.knowsErrors)) return;
  const found = types.find((one) => includesType(essenceOf(one), type));
  if (found === undefined) {
    fail(
      `The Content-Type of the ${status} is ${type === '' ? 'absent' : `'${type}'`}, but the route describes ${types.join(', ')}.`,
      `expect(response.headers.get('Content-Type')).toMatch('${types[0]}');`,
    );
  }
  if (!isJson(type) || text === undefined) return;
  if (response.json === undefined) {
    fail(`The body of the ${status} is not JSON.`, 'await response.json();');
  }
  const { schema } = described.content?.[found] ?? {};
  if (schema === undefined) return;
  const misfit = api.schemas.findMisfit(schema, response.json);
  if (misfit === undefined) return;
  const place = misfit.path.length === 0 ? 'The value' : `'${misfit.path.join('.')}'`;
  fail(
    `The body of the ${status} does not fit its schema: ${place} ${misfit.reason}.`,
    assertionOf(misfit, response.json),
  );
}

/** Returns the assertion that fails for a part of a body. */
function assertionOf({ path, reason }: Misfit, json: unknown): string {
  const body = 'expect(await response.json())';
  const place = JSON.stringify(path);
  if (reason === 'is missing') return `${body}.toHaveProperty(${place});`;
  if (reason === 'is not described') return `${body}.not.toHaveProperty(${place});`;
  const value = path.reduce<unknown>((part, key) => Reflect.get(Object(part), key), json);
  const shown = JSON.stringify(value);
  return path.length === 0
    ? `${body}.not.toEqual(${shown});`
    : `${body}.not.toHaveProperty(${place}, ${shown});`;
}

function checkHeaders(
  { status, headers }: Answer,
  described: DescribedResponse,
  api: Api,
  fail: Fail,
): void {
  for (const [name, { required, schema }] of Object.entries(described.headers ?? {})) {
    const value = headers.get(name);
    const test = `expect(response.headers.get('${name}')).not.toBeNull();`;
    if (value === null) {
      if (required) fail(`The ${status} lacks the header ${name}, which the route requires.`, test);
      continue;
    }
    if (schema === undefined) continue;
    const readings = [value, Number(value), value === 'true'];
    const misfit = api.schemas.findMisfit(schema, value);
    if (misfit === undefined || readings.some((one) => !api.schemas.findMisfit(schema, one)))
      continue;
    fail(`The header ${name} of the ${status} ${misfit.reason}.`, test);
  }
}

/** Describes an error in a line, with the first place of its stack that is not in a package. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  const place = frames.find((line) => !/node_modules|node:/.test(line));
  const at = place === undefined ? '' : `, ${place.trim()}`;
  return `${error.name}: ${error.message}${cause}${at}`;
}
