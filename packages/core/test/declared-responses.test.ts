import { codedWarningsOf } from '@fairlead/test-support/start-warnings';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { describe as describeFunction } from '../src/extend.js';
import { type AnyContext, content, createApp, intended, type RouteOptions } from '../src/index.js';

const handler = () => undefined;
const User = z.object({ id: z.string() });
const end = 'or pass the schema or the handler to intended().';

describe('a response schema for a status without a body', () => {
  it.each<[number, RouteOptions]>([
    [204, { status: 204, response: User }],
    [205, { status: 205, response: z.array(User) }],
    [304, { status: 304, response: { type: 'object' } }],
    [204, { status: 204, response: content(User) }],
  ])(
    'causes a warning for all successes, if it is the status of the route: %i',
    (status, options) => {
      expect(codedWarningsOf(createApp().put('/', options, handler))).toEqual([
        `FAIRLEAD_ROUTE: Responses with the status ${status} have no body, but response describes one: PUT /. Remove response, use the status 200, or list the statuses that have a body, as in { 201: … }, ${end}`,
      ]);
    },
  );

  it('causes a warning for the status', () => {
    const app = createApp().put('/', { response: { 200: User, 204: User } }, handler);
    expect(codedWarningsOf(app)).toEqual([
      `FAIRLEAD_ROUTE: Responses with the status 204 have no body, but response describes one: PUT /. Describe it for another status, or without a body, as in { 204: content(null) }, ${end}`,
    ]);
  });

  it.each<[string, RouteOptions]>([
    ['it describes another status', { status: 204, response: { 201: User } }],
    ['the body may be absent', { status: 204, response: User.optional() }],
    ['it is undefined', { response: { 204: z.undefined(), 200: User } }],
    ['it describes no body', { status: 204, response: { 204: content(null), 201: User } }],
    ['it describes nothing', { status: 204, response: {} }],
    ['it describes an error', { status: 204, response: { 404: User } }],
    ['it is intended', { status: 204, response: intended(z.object({ a: z.string() })) }],
  ])('causes none if %s', (_, options) => {
    expect(codedWarningsOf(createApp().put('/', options, handler))).toEqual([]);
    expect(
      codedWarningsOf(
        createApp().put(
          '/',
          { status: 204, response: User },
          intended(() => ({ id: '1' })),
        ),
      ),
    ).toEqual([]);
  });
});

describe('the response schema of a WebSocket route', () => {
  const open = describeFunction((_ctx: AnyContext): void => {}, { role: 'websocket' });

  it('causes a warning', () => {
    expect(codedWarningsOf(createApp().get('/', { response: User }, open))).toEqual([
      `FAIRLEAD_ROUTE: The route opens WebSocket connections, so its response schema describes nothing: GET /. Remove response, ${end}`,
    ]);
  });

  it('causes none for errors', () => {
    expect(codedWarningsOf(createApp().get('/', { response: { 401: User } }, open))).toEqual([]);
  });
});
