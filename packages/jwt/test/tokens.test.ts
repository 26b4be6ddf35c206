import { generateKeyPairSync } from 'node:crypto';
import { createApp, errorHandler } from '@fairlead/core';
import { exchange } from '@fairlead/test-support/raw-connection';
import fc from 'fast-check';
import { CompactEncrypt, CompactSign, exportJWK } from 'jose';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createJwtAuth } from '../src/index.js';
import {
  AUDIENCE,
  claims,
  createPair,
  EXPECTED,
  forge,
  rejectionOf,
  SECRET,
  serve,
  sign,
  signWith,
} from './support/issuer.js';

const auth = createJwtAuth({ ...EXPECTED, secret: SECRET });

/** Creates an application that responds with the subject of the token. */
const create = ({ middleware } = auth) =>
  createApp()
    .use(errorHandler(), middleware)
    .get('/', ({ state }) => ({ subject: state.jwt.claims.sub }));

const app = create();
const request = (authorization?: string, target = app, path = '/') =>
  target.request(path, { headers: authorization === undefined ? {} : { authorization } });
const bearer = (token: string, target = app) => request(`Bearer ${token}`, target);

describe('a request', () => {
  it('with a valid token passes, over a socket and in process', async () => {
    const { url } = await serve(app);
    const headers = { Authorization: `Bearer ${await sign()}` };
    expect(await (await fetch(url, { headers })).json()).toEqual({ subject: 'ada' });
    expect(await (await app.request('/', { headers })).json()).toEqual({ subject: 'ada' });
  });

  it.each([undefined, 'Basic YTpi', 'Bearertoken', 'Token abc'])(
    'without a bearer token, such as %j, is a 401 without an error code',
    async (authorization) => {
      expect(await rejectionOf(await request(authorization))).toEqual({
        status: 401,
        code: 'TOKEN_REQUIRED',
        detail: 'Send a bearer token in the Authorization header.',
        challenge: 'Bearer realm="api"',
      });
    },
  );

  it.each(['bearer', 'BEARER', 'bEaReR', 'Bearer  '])(
    'may write the scheme as %j',
    async (scheme) => {
      expect((await request(`${scheme} ${await sign()}`)).status).toBe(200);
    },
  );

  it.each([
    'Bearer',
    'Bearer a b',
    'Bearer a,b',
    'Bearer "a"',
    'Bearer =',
    'Bearer a=b',
    'Bearer ü',
  ])('with malformed credentials %j is a 401 invalid_token', async (authorization) => {
    expect(await rejectionOf(await request(authorization))).toMatchObject({
      status: 401,
      code: 'INVALID_TOKEN',
      challenge:
        'Bearer realm="api", error="invalid_token", error_description="The token is malformed."',
    });
  });

  it.each([' ', '\t', ',', '='])(
    'with %j within a valid token is a 401 that calls it malformed',
    async (text) => {
      const token = await sign();
      const response = await request(`Bearer ${token.slice(0, -4)}${text}${token.slice(-4)}`);
      expect(await rejectionOf(response)).toMatchObject({
        status: 401,
        detail: 'The token is malformed.',
      });
    },
  );

  it('with the token in the query or a cookie is a 401', async () => {
    const token = await sign();
    const path = `/?access_token=${token}`;
    const headers = { cookie: `access_token=${token}` };
    expect((await app.request(path, { headers })).headers.get('WWW-Authenticate')).toBe(
      'Bearer realm="api"',
    );
  });

  it('with several Authorization headers is a 400, whichever token is valid', async () => {
    const { port } = await serve(app);
    const valid = `Authorization: Bearer ${await sign()}\r\n`;
    const invalid = 'authorization: Bearer a.b.c\r\n';
    for (const headers of [valid + invalid, invalid + valid, valid + valid]) {
      const head = `GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${headers}\r\n`;
      const response = await exchange(port, head);
      expect(response).toMatch(/^HTTP\/1.1 400 /);
      expect(response).toContain('error="invalid_request"');
    }
  });

  it('names its own realm', async () => {
    const own = create(createJwtAuth({ ...EXPECTED, secret: SECRET, realm: 'the shop' }));
    const response = await request(undefined, own);
    expect(response.headers.get('WWW-Authenticate')).toBe('Bearer realm="the shop"');
  });
});

describe('a token', () => {
  const now = () => Math.floor(Date.now() / 1_000);

  it.each<[string, () => object]>([
    ['The token has expired.', () => ({ exp: now() - 6 })],
    ['The token is not valid yet.', () => ({ nbf: now() + 7 })],
    ['The token is from another issuer.', () => ({ iss: 'https://other.example' })],
    ['The token is for another audience.', () => ({ aud: 'https://other.example' })],
    ['The token is for another audience.', () => ({ aud: ['https://other.example'] })],
    ['The token is for another audience.', () => ({ aud: { 0: AUDIENCE } })],
    ['The token needs the claims iss, aud and exp.', () => ({ exp: undefined })],
    ['The token needs the claims iss, aud and exp.', () => ({ iss: undefined })],
    ['The token needs the claims iss, aud and exp.', () => ({ aud: undefined })],
    ['The claims are not accepted.', () => ({ exp: '9999999999' })],
    ['The claims are not accepted.', () => ({ exp: null })],
  ])('is rejected: %s', async (detail, changed) => {
    // SignJWT refuses some of these claims.
    const payload = Buffer.from(JSON.stringify({ ...claims(), ...changed() }));
    const token = await new CompactSign(payload)
      .setProtectedHeader({ alg: 'HS256' })
      .sign(Buffer.from(SECRET));
    expect(await rejectionOf(await bearer(token))).toEqual({
      status: 401,
      code: 'INVALID_TOKEN',
      detail,
      challenge: `Bearer realm="api", error="invalid_token", error_description="${detail}"`,
    });
  });

  it('may be expired, or early, by less than the clock tolerance', async () => {
    const exact = create(createJwtAuth({ ...EXPECTED, secret: SECRET, clockTolerance: 0 }));
    const late = await sign({ exp: now() - 1 });
    const early = await sign({ nbf: now() + 4 });
    expect((await bearer(late)).status).toBe(200);
    expect((await bearer(early)).status).toBe(200);
    expect((await bearer(late, exact)).status).toBe(401);
    expect((await bearer(early, exact)).status).toBe(401);
  });

  it('may be for several audiences, and from one of several issuers', async () => {
    const several = create(
      createJwtAuth({ issuer: ['a', 'b'], audience: ['x', 'y'], secret: SECRET }),
    );
    expect((await bearer(await sign({ iss: 'b', aud: ['z', 'y'] }), several)).status).toBe(200);
    expect((await bearer(await sign({ iss: 'c', aud: 'x' }), several)).status).toBe(401);
  });

  it('needs the given type', async () => {
    const typed = create(createJwtAuth({ ...EXPECTED, secret: SECRET, type: 'at+jwt' }));
    const key = Buffer.from(SECRET);
    const access = await sign({}, key, { alg: 'HS256', typ: 'application/AT+jwt' });
    expect((await bearer(access, typed)).status).toBe(200);
    const others = [await sign(), await sign({}, key, { alg: 'HS256', typ: 'JWT' })];
    for (const token of others) {
      expect(await rejectionOf(await bearer(token, typed))).toMatchObject({
        detail: 'The token has another type.',
      });
    }
  });

  it('is rejected before it is parsed when it is too long', async () => {
    const short = create(createJwtAuth({ ...EXPECTED, secret: SECRET, maxTokenLength: 300 }));
    expect((await bearer(await sign(), short)).status).toBe(200);
    for (const token of [await sign({ padding: 'x'.repeat(300) }), '('.repeat(301)]) {
      expect(await rejectionOf(await bearer(token, short))).toMatchObject({
        detail: 'The token is longer than 300 characters.',
      });
    }
    expect(await rejectionOf(await bearer('x'.repeat(8_192)))).toMatchObject({
      detail: 'The token is malformed.',
    });
    expect(await rejectionOf(await bearer('x'.repeat(8_193)))).toMatchObject({
      detail: 'The token is longer than 8192 characters.',
    });
  });

  it.each([
    'none',
    'None',
    'NONE',
    'nOnE',
    '',
    'HS256 ',
    'hs256',
    'HS512',
    undefined,
    null,
    0,
    ['HS256'],
  ])('with alg %j is rejected, with and without a signature', async (alg) => {
    const signature = (await sign()).split('.')[2];
    for (const token of [forge({ alg }), forge({ alg }, claims(), signature)]) {
      expect(await rejectionOf(await bearer(token))).toMatchObject({ code: 'INVALID_TOKEN' });
    }
  });

  it.each([
    ['a critical extension', { crit: ['exp'], exp: 1 }],
    [
      'an unknown critical extension',
      { crit: ['http://example.com/x'], 'http://example.com/x': 1 },
    ],
    ['an empty crit', { crit: [] }],
    ['an unencoded payload', { crit: ['b64'], b64: false }],
  ])('with %s is rejected', async (_, header) => {
    const key = Buffer.from(SECRET);
    const protectedHeader = { alg: 'HS256', ...header };
    const input = `${forge(protectedHeader).slice(0, -1)}`;
    const { createHmac } = await import('node:crypto');
    const signature = createHmac('sha256', key).update(input).digest('base64url');
    expect(await rejectionOf(await bearer(`${input}.${signature}`))).toMatchObject({
      code: 'INVALID_TOKEN',
    });
  });

  it('signed with the public key as an HMAC secret is rejected', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    const pem = publicKey.export({ type: 'spki', format: 'pem' });
    const rsa = create(createJwtAuth({ ...EXPECTED, publicKey: String(pem) }));
    expect((await bearer(await sign({}, privateKey, { alg: 'RS256' }), rsa)).status).toBe(200);
    const der = publicKey.export({ type: 'spki', format: 'der' });
    const jwk = JSON.stringify(await exportJWK(publicKey));
    for (const secret of [String(pem), String(pem).trim(), der, jwk]) {
      const token = await sign({}, Buffer.from(secret), { alg: 'HS256' });
      expect(await rejectionOf(await bearer(token, rsa))).toMatchObject({
        detail: 'The algorithm of the token is not allowed.',
      });
    }
  });

  it('cannot bring its own key', async () => {
    const [issuer, attacker] = [await createPair('a'), await createPair('a')];
    let fetched = 0;
    const { url } = await serve(
      createApp().get('/', () => {
        fetched += 1;
        return { keys: [attacker.jwk] };
      }),
    );
    for (const trusted of [{ publicKey: issuer.jwk }, { jwks: { keys: [issuer.jwk] } }]) {
      const target = create(createJwtAuth({ ...EXPECTED, ...trusted }));
      expect((await bearer(await signWith(issuer), target)).status).toBe(200);
      for (const header of [{ jwk: attacker.jwk }, { jku: url }, { x5u: url }, { x5c: ['AAAA'] }]) {
        const token = await signWith(attacker, header);
        expect(await rejectionOf(await bearer(token, target))).toMatchObject({
          detail: 'The signature is not valid.',
        });
      }
    }
    expect(fetched).toBe(0);
  });

  it.each([
    '../../dev/null',
    "' OR 1=1 --",
    '/etc/passwd',
    '__proto__',
    'constructor',
    '',
    'x'.repeat(4_000),
  ])('with the kid %j finds no key', async (kid) => {
    const issuer = await createPair('a');
    const target = create(createJwtAuth({ ...EXPECTED, jwks: { keys: [issuer.jwk] } }));
    const tokens = [
      await signWith(issuer, { kid }),
      forge({ alg: 'HS256', kid }),
      forge({ alg: 'ES256', kid: { toString: kid } }),
    ];
    for (const token of tokens) {
      expect(await rejectionOf(await bearer(token, target))).toMatchObject({
        code: 'INVALID_TOKEN',
      });
    }
  });

  it('without a kid is rejected when several keys match', async () => {
    const [a, b] = [await createPair('a'), await createPair('b')];
    const target = create(createJwtAuth({ ...EXPECTED, jwks: { keys: [a.jwk, b.jwk] } }));
    expect((await bearer(await signWith(b), target)).status).toBe(200);
    const token = await sign({}, b.privateKey, { alg: 'ES256' });
    expect(await rejectionOf(await bearer(token, target))).toMatchObject({
      detail: 'Several keys match the token. It needs a kid.',
    });
  });

  it('that is encrypted is rejected', async () => {
    const token = await new CompactEncrypt(Buffer.from(JSON.stringify(claims())))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .encrypt(Buffer.alloc(32));
    expect(await rejectionOf(await bearer(token))).toMatchObject({ code: 'INVALID_TOKEN' });
  });

  it('with any change is rejected', async () => {
    const token = await sign();
    // The last character of the signature has bits that do not count.
    const position = fc.nat({ max: token.length - 2 });
    await fc.assert(
      fc.asyncProperty(position, fc.constantFrom(...'AZaz09-_.'), async (index, character) => {
        const changed = token.slice(0, index) + character + token.slice(index + 1);
        fc.pre(changed !== token);
        expect((await bearer(changed)).status).toBe(401);
      }),
    );
  });

  it('of any text is a 401 or 400, never a 500', async () => {
    const part = fc.oneof(
      fc.base64String(),
      fc.json().map((text) => Buffer.from(text).toString('base64url')),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 5 }), async (parts) => {
        const value = parts.join('.').replace(/[^\x20-\x7e]/g, '');
        expect((await bearer(value)).status).toBe(401);
      }),
    );
  });
});

describe('a token that was accepted before', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('has its signature verified once', async () => {
    const verify = vi.spyOn(crypto.subtle, 'verify');
    onTestFinished(() => verify.mockRestore());
    const token = await sign({ sub: 'twice' });
    for (const _ of Array(3)) expect((await bearer(token)).status).toBe(200);
    expect(verify).toHaveBeenCalledTimes(1);
  });

  it('is rejected once it has expired', async () => {
    const token = await sign();
    expect((await bearer(token)).status).toBe(200);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 66_000 });
    expect(await rejectionOf(await bearer(token))).toMatchObject({
      detail: 'The token has expired.',
    });
  });

  it('is rejected from the end of its expiry and the clock tolerance on', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 });
    const token = await sign({ exp: 60 });
    const statuses: number[] = [];
    for (const now of [0, 64_999, 65_000]) {
      vi.setSystemTime(now);
      statuses.push((await bearer(token)).status);
    }
    expect(statuses).toEqual([200, 200, 401]);
  });

  it('is rejected with another signature', async () => {
    const token = await sign();
    expect((await bearer(token)).status).toBe(200);
    const [head, body] = token.split('.');
    const [, , other] = (await sign({ sub: 'eve' })).split('.');
    expect((await bearer(`${head}.${body}.${other}`)).status).toBe(401);
  });

  it('has claims of its own in each request', async () => {
    const changing = create();
    changing.get('/change', ({ state }) => {
      state.jwt.claims.sub = 'eve';
      return {};
    });
    const token = await sign();
    expect((await request(`Bearer ${token}`, changing, '/change')).status).toBe(200);
    const response = await bearer(token, changing);
    expect(await response.json()).toEqual({ subject: 'ada' });
  });
});
