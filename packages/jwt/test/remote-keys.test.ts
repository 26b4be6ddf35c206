import { generateKeyPairSync } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { createApp, errorHandler } from '@fairlead/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createJwtAuth, type RemoteKeysOptions } from '../src/index.js';
import {
  createPair,
  EXPECTED,
  forge,
  rejectionOf,
  serve,
  serveKeys,
  sign,
  signWith,
} from './support/issuer.js';

const [first, second] = [await createPair('first'), await createPair('second')];
const short = generateKeyPairSync('rsa', { modulusLength: 1_024 });
const weak = short.publicKey.export({ format: 'jwk' });
const oneKey = { keys: [first.jwk] };

/** Serves an application whose keys are at a URL, and returns a function that sends it a token. */
async function consume(jwks: string, remote: RemoteKeysOptions = {}) {
  const onError = vi.fn();
  const { middleware } = createJwtAuth({ ...EXPECTED, jwks, remote: { onError, ...remote } });
  const report = vi.fn();
  const app = createApp()
    .use(errorHandler({ onError: report }), middleware)
    .get('/', () => 'ok');
  const { url } = await serve(app);
  const send = (token: string) => fetch(url, { headers: { Authorization: `Bearer ${token}` } });
  const statusOf = async (token: string) => (await send(token)).status;
  return { send, statusOf, onError, report };
}

const respond = (res: ServerResponse, body: unknown) =>
  res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));

describe('the keys of an issuer', () => {
  it('are fetched once for concurrent and later requests', async () => {
    const keys = await serveKeys((_, res) => respond(res, oneKey));
    const { statusOf } = await consume(keys.url);
    const token = await signWith(first);
    expect(keys.requests()).toBe(0);
    const statuses = await Promise.all(Array.from({ length: 20 }, () => statusOf(token)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(await statusOf(token)).toBe(200);
    expect(keys.requests()).toBe(1);
  });

  it('are not fetched for a token with a forbidden algorithm, or a malformed one', async () => {
    const keys = await serveKeys((_, res) => respond(res, oneKey));
    const { statusOf } = await consume(keys.url);
    for (const alg of ['none', 'HS256', 'A128KW', '']) {
      expect(await statusOf(forge({ alg, kid: 'first' }))).toBe(401);
    }
    expect(await statusOf('a.b.c')).toBe(401);
    expect(keys.requests()).toBe(0);
  });

  it('may be rotated: a token with a new key is accepted at once', async () => {
    let set = oneKey;
    const keys = await serveKeys((_, res) => respond(res, set));
    const { statusOf } = await consume(keys.url, { cooldown: 0 });
    expect(await statusOf(await signWith(first))).toBe(200);
    set = { keys: [second.jwk] };
    expect(await statusOf(await signWith(second))).toBe(200);
    expect(await statusOf(await signWith(first))).toBe(401);
  });

  it('may be replaced: a token that was accepted with another key of this name is rejected', async () => {
    let set = oneKey;
    const keys = await serveKeys((_, res) => respond(res, set));
    const { statusOf } = await consume(keys.url, { cooldown: 0, lifetime: 0 });
    const token = await signWith(first);
    expect(await statusOf(token)).toBe(200);
    expect(await statusOf(token)).toBe(200);
    set = { keys: [{ ...second.jwk, kid: 'first' }] };
    expect(await statusOf(token)).toBe(401);
  });

  it('are fetched at most once per cooldown for any number of unknown keys', async () => {
    const keys = await serveKeys((_, res) => respond(res, oneKey));
    const { statusOf } = await consume(keys.url, { cooldown: 600_000 });
    const tokens = Array.from({ length: 50 }, (_, index) =>
      forge({ alg: 'ES256', kid: `k${index}` }),
    );
    const statuses = await Promise.all(tokens.map(statusOf));
    expect(new Set(statuses)).toEqual(new Set([401]));
    expect(await statusOf(await signWith(first))).toBe(200);
    expect(keys.requests()).toBe(1);
  });

  it('are not fetched again for a token that several of them match', async () => {
    const keys = await serveKeys((_, res) =>
      respond(res, { keys: [first.jwk, { ...second.jwk, kid: 'first' }] }),
    );
    const { statusOf } = await consume(keys.url, { cooldown: 0 });
    expect(await statusOf(await signWith(first))).toBe(401);
    expect(keys.requests()).toBe(1);
  });

  it('that are old are fetched again', async () => {
    let set = oneKey;
    const keys = await serveKeys((_, res) => respond(res, set));
    const { statusOf } = await consume(keys.url, { cooldown: 0, lifetime: 0 });
    expect(await statusOf(await signWith(first))).toBe(200);
    set = { keys: [second.jwk] };
    expect(await statusOf(await signWith(first))).toBe(401);
  });

  it('never include secrets, even if the issuer publishes one', async () => {
    const secret = Buffer.alloc(32, 1);
    const jwk = { kty: 'oct', k: secret.toString('base64url'), kid: 'first', alg: 'HS256' };
    const keys = await serveKeys((_, res) => respond(res, { keys: [jwk] }));
    const { statusOf } = await consume(keys.url);
    expect(await statusOf(await sign({}, secret, { alg: 'HS256', kid: 'first' }))).toBe(401);
  });

  it.each<[string, string, object, string]>([
    ['a weak one', 'RS256', weak, 'an RSA key of 1024 bits as keys[1]. Use a key of at least 2048'],
    ['one without e', 'RS256', { ...weak, e: undefined }, 'a malformed key as keys[1].'],
    ['a false point', 'ES256', { ...first.jwk, y: first.jwk.x }, 'a malformed key as keys[1].'],
    ['a private one', 'ES256', first.privateKey.export({ format: 'jwk' }), 'a private key as keys'],
    [
      'one that signs',
      'ES256',
      { ...first.jwk, key_ops: ['sign', 'verify'] },
      'several operations',
    ],
  ])('leave out %s, and report it', async (_, alg, jwk, problem) => {
    const bad = { ...jwk, kid: 'bad' };
    let set = { keys: [first.jwk, bad] };
    const keys = await serveKeys((_, res) => respond(res, set));
    const { statusOf, onError, report } = await consume(keys.url, { cooldown: 0 });
    expect(await statusOf(await signWith(first))).toBe(200);
    expect(onError).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ message: expect.stringContaining(`The key set has ${problem}`) }),
    );
    expect(await statusOf(forge({ alg, kid: 'bad' }, undefined, 'AAAA'))).toBe(401);
    set = { keys: [bad] };
    expect(await statusOf(forge({ alg, kid: 'bad' }, undefined, 'AAAA'))).toBe(503);
    expect(report).not.toHaveBeenCalled();
  });

  it.each<object>([
    { ...weak, use: 'enc' },
    { ...weak, key_ops: ['encrypt'] },
    { kty: 'EC', crv: 'P-192', x: 'AAAA', y: 'AAAA' },
    { kty: 'new' },
  ])('may include %o, which no token selects', async (jwk) => {
    const keys = await serveKeys((_, res) => respond(res, { keys: [jwk, first.jwk] }));
    const { statusOf, onError } = await consume(keys.url);
    expect(await statusOf(await signWith(first))).toBe(200);
    expect(onError).not.toHaveBeenCalled();
  });
});

describe('the times of remote keys', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('are 5 seconds for a fetch and 10 minutes for the keys by default', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    const keys = await serveKeys((_, res) => respond(res, oneKey));
    const { statusOf } = await consume(keys.url);
    const token = await signWith(first);
    expect(await statusOf(token)).toBe(200);
    expect(timeout.mock.calls).toEqual([[5_000]]);
    vi.advanceTimersByTime(599_999);
    expect(await statusOf(token)).toBe(200);
    expect(keys.requests()).toBe(1);
    vi.advanceTimersByTime(1);
    expect(await statusOf(token)).toBe(200);
    expect(keys.requests()).toBe(2);
  });

  it('are 10 seconds between two fetches by default', async () => {
    const keys = await serveKeys((_, res) => respond(res, oneKey));
    const { statusOf } = await consume(keys.url);
    const requests: number[] = [];
    for (const wait of [0, 9_999, 1]) {
      vi.advanceTimersByTime(wait);
      expect(await statusOf(await signWith(second))).toBe(401);
      requests.push(keys.requests());
    }
    expect(requests).toEqual([1, 1, 2]);
  });

  it('are 1 hour after their lifetime for keys that cannot be fetched by default', async () => {
    const keys = await serveKeys((_, res) => respond(res, oneKey));
    const { statusOf } = await consume(keys.url);
    const token = await signWith(first);
    expect(await statusOf(token)).toBe(200);
    await keys.stop();
    vi.advanceTimersByTime(600_000 + 3_599_999);
    expect(await statusOf(token)).toBe(200);
    vi.advanceTimersByTime(1);
    expect(await statusOf(token)).toBe(503);
  });

  it('end the cooldown when it has passed, and clients learn its rest', async () => {
    const keys = await serveKeys((_, res) => res.writeHead(500).end());
    const { send } = await consume(keys.url, { cooldown: 3_600_000 });
    const token = await signWith(first);
    const retryAfter = async () => (await send(token)).headers.get('Retry-After');
    expect(await retryAfter()).toBe('3600');
    vi.advanceTimersByTime(3_599_000);
    expect(await retryAfter()).toBe('1');
    expect(keys.requests()).toBe(1);
    vi.advanceTimersByTime(1_000);
    expect(await retryAfter()).toBe('3600');
    expect(keys.requests()).toBe(2);
  });
});

describe('an issuer that fails', () => {
  const failures: Record<string, (res: ServerResponse, path?: string) => unknown> = {
    'status 500': (res) => res.writeHead(500).end(JSON.stringify(oneKey)),
    'status 201': (res) => res.writeHead(201).end(JSON.stringify(oneKey)),
    'status 204': (res) => res.writeHead(204).end(),
    'a redirect': (res, path) => {
      if (path === '/elsewhere') respond(res, oneKey);
      else res.writeHead(302, { Location: '/elsewhere' }).end();
    },
    'invalid JSON': (res) => res.end('<html>'),
    null: (res) => res.end('null'),
    'another shape': (res) => respond(res, { keys: 'none' }),
    'keys that are not objects': (res) => respond(res, { keys: [1] }),
    'no keys': (res) => respond(res, { keys: [] }),
    'a huge body': (res) => respond(res, { ...oneKey, padding: 'x'.repeat(1_100_000) }),
    'a connection that breaks': (res) => res.destroy(),
    'a body that breaks': (res) => {
      res.writeHead(200, { 'Content-Length': '100' }).write('{', () => res.destroy());
    },
  };

  it.each(Object.entries(failures))('with %s is a 503, not a 401', async (_, fail) => {
    const keys = await serveKeys((req, res) => fail(res, req.url));
    const { send, onError, report } = await consume(keys.url);
    const response = await send(await signWith(first));
    expect(response.headers.get('Retry-After')).toMatch(/^([1-9]|10)$/);
    expect(await rejectionOf(response)).toEqual({
      status: 503,
      code: 'JWKS_UNAVAILABLE',
      detail: 'Service Unavailable',
      challenge: null,
    });
    expect(onError).toHaveBeenCalledExactlyOnceWith(expect.any(Error));
    expect(report).not.toHaveBeenCalled();
  });

  it.each([
    [1_048_576, 200],
    [1_048_577, 503],
  ])('whose key set has %i bytes leads to a %i', async (bytes, status) => {
    const text = JSON.stringify(oneKey);
    const keys = await serveKeys((_, res) => res.end(text + ' '.repeat(bytes - text.length)));
    const { statusOf } = await consume(keys.url);
    expect(await statusOf(await signWith(first))).toBe(status);
  });

  it('by being slow delays no request for longer than the timeout, and none during the cooldown', async () => {
    const keys = await serveKeys(() => undefined);
    const { statusOf, onError } = await consume(keys.url, { timeout: 500 });
    const token = await signWith(first);
    expect(await Promise.all([statusOf(token), statusOf(token)])).toEqual([503, 503]);
    expect(await statusOf(token)).toBe(503);
    expect(keys.requests()).toBe(1);
    expect(onError).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ name: 'TimeoutError' }),
    );
  });

  it('by sending its keys slowly is a 503 at the timeout', async () => {
    const keys = await serveKeys((_, res) => res.writeHead(200).write('{"keys":'));
    const { statusOf } = await consume(keys.url, { timeout: 50 });
    expect(await statusOf(await signWith(first))).toBe(503);
  });

  it('keeps its last keys for the stated time', async () => {
    const keys = await serveKeys((_, res) => respond(res, oneKey));
    const { statusOf, onError } = await consume(keys.url, { cooldown: 0, lifetime: 0 });
    expect(await statusOf(await signWith(first))).toBe(200);
    await keys.stop();
    expect(await statusOf(await signWith(first))).toBe(200);
    expect(onError).toHaveBeenCalledTimes(1);
    // The key may be new.
    expect(await statusOf(await signWith(second))).toBe(503);
    await keys.start();
    expect(await statusOf(await signWith(second))).toBe(401);
    expect(await statusOf(await signWith(first))).toBe(200);
  });

  it('delays no requests with its last keys after the first failure', async () => {
    const responses = [
      (res: ServerResponse) => respond(res, oneKey),
      (res: ServerResponse) => res.writeHead(500).end(),
    ];
    // From the third request on, the issuer hangs.
    const keys = await serveKeys((_, res) => responses.shift()?.(res));
    const { statusOf } = await consume(keys.url, { cooldown: 0, lifetime: 0, timeout: 600_000 });
    const token = await signWith(first);
    expect([await statusOf(token), await statusOf(token)]).toEqual([200, 200]);
    expect([await statusOf(token), await statusOf(token)]).toEqual([200, 200]);
    expect(keys.requests()).toBe(3);
  });

  it('loses its keys after the stated time', async () => {
    const keys = await serveKeys((_, res) => respond(res, oneKey));
    const { statusOf } = await consume(keys.url, { cooldown: 0, lifetime: 0, maxStale: 1 });
    await keys.stop();
    const token = await signWith(first);
    expect(await statusOf(token)).toBe(503);
    await keys.start();
    await expect.poll(() => statusOf(token)).toBe(200);
    await keys.stop();
    await expect.poll(() => statusOf(token)).toBe(503);
  });

  it('is logged without the query of its URL by default', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const keys = await serveKeys((_, res) => res.writeHead(500).end());
    const { middleware } = createJwtAuth({ ...EXPECTED, jwks: `${keys.url}?key=secret` });
    const app = createApp().use(errorHandler(), middleware);
    const headers = { Authorization: `Bearer ${await signWith(first)}` };
    expect((await app.request('/', { headers })).status).toBe(503);
    expect(log).toHaveBeenCalledExactlyOnceWith(
      `A problem with the keys from ${keys.url}:`,
      new Error('The issuer responded with status 500 instead of 200.'),
    );
    log.mockRestore();
  });
});
