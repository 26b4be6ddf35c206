import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ADA, shareApi, startService, WIRE_APIS } from './support/api.js';
import { captureLog } from './support/log.js';
import { STORES } from './support/stores.js';

const JSON_TYPE = { 'content-type': 'application/json' };

/** A request whose body comes in chunks, so that its head does not tell how long it is. */
function chunked(chunks: Buffer[], headers: Record<string, string>): RequestInit {
  return { body: Readable.from(chunks), headers, duplex: 'half' };
}

describe.each(WIRE_APIS)('errors of the $variant API over the $store store', (api) => {
  const sharedApi = shareApi(api);

  it.each(['GET', 'DELETE'])(
    '%s of an unknown id is a 404 problem that names the id',
    async (method) => {
      const { send } = await sharedApi();
      const response = await send(method, '/nobody');
      expect(response.status).toBe(404);
      expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json\b/);
      expect(await response.json()).toEqual({
        type: 'about:blank',
        title: 'Not Found',
        status: 404,
        detail: 'User nobody not found',
        instance: `${api.mount}/nobody`,
        code: 'NOT_FOUND',
        error: 'User nobody not found',
      });
    },
  );

  it('PUT of an unknown id is a 404 that names the id', async () => {
    const { sendJson } = await sharedApi();
    const response = await sendJson('PUT', '/nobody', { name: 'Ada' });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ detail: 'User nobody not found' });
  });

  it('names the id as it reads when it is decoded', async () => {
    const { send } = await sharedApi();
    const response = await send('GET', '/a%2Fb%20c');
    expect(await response.json()).toMatchObject({ status: 404, detail: 'User a/b c not found' });
  });

  it.each([
    {},
    { name: 'Ada' },
    { email: 'ada@example.com' },
    { name: '', email: 'ada@example.com' },
    { name: 'Ada', email: '' },
    { name: null, email: 'ada@example.com' },
    { name: 'Ada', email: 7 },
    [],
    null,
    'text',
  ])('POST of %j is a 400 that says what is required', async (body) => {
    const { send, sendJson } = await sharedApi();
    const before: unknown = await (await send('GET')).json();
    const response = await sendJson('POST', '', body);
    expect(response.status).toBe(400);
    expect(response.headers.get('location')).toBeNull();
    expect(await response.json()).toMatchObject({
      code: 'VALIDATION_FAILED',
      detail: 'name and email are required',
      error: 'name and email are required',
    });
    expect(await (await send('GET')).json()).toEqual(before);
  });

  it('POST lists the fields that are wrong', async () => {
    const { sendJson } = await sharedApi();
    expect(await (await sendJson('POST', '', { name: 'Ada' })).json()).toMatchObject({
      issues: [{ path: ['body', 'email'], message: 'must be a non-empty string' }],
    });
  });

  it('POST without a body is a 400 that says what is required', async () => {
    const { send } = await sharedApi();
    for (const type of ['', 'application/json', 'text/plain']) {
      const response = await send('POST', '', { headers: { 'content-type': type } });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ detail: 'name and email are required' });
    }
  });

  it('POST of chunks that hold nothing is a POST without a body', async () => {
    const { send } = await sharedApi();
    for (const type of ['', 'application/json', 'text/plain']) {
      const headers = { 'content-type': type };
      const response = await send('POST', '', chunked([], headers));
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ detail: 'name and email are required' });
    }
  });

  it.each([
    ['name', 256],
    ['email', 320],
  ])(
    'POST and PUT of a longer %s than %d characters are a 400 that names it',
    async (field, most) => {
      const { create, send, sendJson } = await sharedApi();
      const before = await create({ ...ADA, [field]: '&'.repeat(most) });
      const body = { ...ADA, [field]: '&'.repeat(most + 1) };
      for (const [method, path] of [
        ['POST', ''],
        ['PUT', `/${before.id}`],
      ] as const) {
        const response = await sendJson(method, path, body);
        expect(response.status).toBe(400);
        const message = `must be at most ${most} characters long, not ${most + 1}`;
        expect(await response.json()).toMatchObject({
          code: 'VALIDATION_FAILED',
          detail: `${field} ${message}`,
          issues: [{ path: ['body', field], message }],
        });
      }
      expect(await (await send('GET', `/${before.id}`)).json()).toEqual({ data: before });
    },
  );

  it.each([{ name: null }, { name: 7 }, { email: ['ada@example.com'] }, { email: {} }])(
    'PUT of %j is a 400 and changes nothing',
    async (body) => {
      const { create, send, sendJson } = await sharedApi();
      const ada = await create();
      const response = await sendJson('PUT', `/${ada.id}`, body);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        code: 'VALIDATION_FAILED',
        issues: [{ path: ['body', Object.keys(body)[0]], message: 'must be a string' }],
      });
      expect(await (await send('GET', `/${ada.id}`)).json()).toEqual({ data: ada });
    },
  );

  it.each([[], null, 'text', 7, true])('PUT of %j, which is no object, is a 400', async (body) => {
    const { create, sendJson } = await sharedApi();
    const response = await sendJson('PUT', `/${(await create()).id}`, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ detail: expect.stringContaining('JSON object') });
  });

  it('PUT without a body is a 400', async () => {
    const { create, send } = await sharedApi();
    expect((await send('PUT', `/${(await create()).id}`)).status).toBe(400);
  });

  it('POST and PUT of malformed JSON are a 400', async () => {
    const { create, send } = await sharedApi();
    const { id } = await create();
    const init = { body: '{"name":', headers: JSON_TYPE };
    expect((await send('POST', '', init)).status).toBe(400);
    expect((await send('PUT', `/${id}`, init)).status).toBe(400);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/a%b+json',
    '',
  ])('POST and PUT of a body of type %j are a 415, also in chunks', async (type) => {
    const { create, send } = await sharedApi();
    const { id } = await create();
    const headers = { 'content-type': type };
    const body = Buffer.from(JSON.stringify(ADA));
    for (const response of [
      await send('POST', '', { body, headers }),
      await send('PUT', `/${id}`, { body, headers }),
      await send('POST', '', chunked([body, body], headers)),
    ]) {
      expect(response.status).toBe(415);
      expect(response.headers.get('accept')).toBe('application/json');
      expect(await response.json()).toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' });
    }
  });

  it('keeps the connection usable after the 415 of a long body in chunks', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const url = `${await startService({ store: await STORES[api.store]() })}${api.mount}`;
    const ports = [];
    for (const path of ['?first', '?second']) {
      const create = request(`${url}${path}`, {
        agent,
        method: 'POST',
        headers: { 'transfer-encoding': 'chunked' },
      });
      create.end(Buffer.alloc(4 * 1024 ** 2));
      const [response]: IncomingMessage[] = await once(create, 'response');
      expect(response?.statusCode).toBe(415);
      ports.push(create.socket?.localPort);
      await response?.toArray();
      await finished(create);
    }
    expect(new Set(ports).size).toBe(1);
  });

  it('takes a client that goes away before the first chunk for no fault of its own', async () => {
    const { logger, lines } = captureLog();
    const url = `${await startService({ store: await STORES[api.store](), logger })}${api.mount}`;
    const headers = { 'transfer-encoding': 'chunked', expect: '100-continue' };
    const create = request(url, { method: 'POST', headers });
    create.on('error', () => {}).flushHeaders();
    await once(create, 'continue');
    create.destroy();
    await lines.first('request', 1);
    expect(lines.all).toEqual([
      expect.objectContaining({ level: 'info', status: 499, aborted: true }),
    ]);
  });

  it('takes any +json type, in any case, with a charset', async () => {
    const { send } = await sharedApi();
    for (const type of ['application/vnd.user+json', 'Application/JSON; charset=UTF-8']) {
      const init = { body: JSON.stringify(ADA), headers: { 'content-type': type } };
      expect((await send('POST', '', init)).status).toBe(201);
    }
  });

  it('answers a body over 1 MiB with 413', async () => {
    const { sendJson } = await sharedApi();
    const response = await sendJson('POST', '', { ...ADA, name: 'a'.repeat(1024 * 1024) });
    expect(response.status).toBe(413);
  });

  it('answers a method that a path does not have with 405 and Allow', async () => {
    const { send } = await sharedApi();
    const collection = await send('DELETE');
    expect(collection.status).toBe(405);
    expect(collection.headers.get('allow')).toMatch(/\bGET\b.*\bPOST\b/);
    expect((await send('PATCH', '/any')).status).toBe(405);
  });

  it('answers OPTIONS with 204 and Allow', async () => {
    const { send } = await sharedApi();
    const response = await send('OPTIONS', '/any');
    expect(response.status).toBe(204);
    expect(response.headers.get('allow')).toMatch(/\bGET\b/);
    expect(response.headers.get('allow')).toMatch(/\bPUT\b/);
    expect(response.headers.get('allow')).toMatch(/\bDELETE\b/);
  });

  it('answers a path below a user with 404', async () => {
    const { send } = await sharedApi();
    expect((await send('GET', '/any/posts')).status).toBe(404);
  });
});
