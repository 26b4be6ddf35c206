import { generateKeyPairSync, webcrypto } from 'node:crypto';
import { createApp, errorHandler } from '@fairlead/core';
import { decodeJwt, decodeProtectedHeader, exportJWK } from 'jose';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { createJwtAuth, type JwtAuthOptions, signToken } from '../src/index.js';
import { AUDIENCE, claims, EXPECTED, ISSUER, SECRET, sign } from './support/issuer.js';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const options = { ...EXPECTED, secret: SECRET };
const OLD = 'an old secret of thirty-two bytes or more';

/** Returns the status of a request with a token, or the claims. */
async function accepts(token: string, given: JwtAuthOptions): Promise<unknown> {
  const { middleware } = createJwtAuth(given as JwtAuthOptions<undefined>);
  const app = createApp()
    .use(errorHandler(), middleware)
    .get('/', ({ state }) => state.jwt.claims);
  const response = await app.request('/', { headers: { Authorization: `Bearer ${token}` } });
  return response.status === 200 ? response.json() : response.status;
}

describe('signToken()', () => {
  it('signs claims that createJwtAuth() accepts with the same options', async () => {
    const { iat = 0, ...signed } = decodeJwt(
      await signToken({ sub: 'ada', roles: ['admin'] }, options),
    );
    expect(signed).toEqual({
      iss: ISSUER,
      aud: AUDIENCE,
      sub: 'ada',
      roles: ['admin'],
      exp: iat + 900,
    });
    const token = await signToken({ sub: 'ada' }, options);
    expect(await accepts(token, options)).toMatchObject({ sub: 'ada' });
  });

  it('signs tokens that end after expiresIn', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const brief = { ...options, expiresIn: 60, clockTolerance: 0 };
    const token = await signToken({ sub: 'ada' }, brief);
    const start = Date.now();
    vi.setSystemTime(start + 58_000);
    expect(await accepts(token, brief)).toMatchObject({ sub: 'ada' });
    vi.setSystemTime(start + 61_000);
    expect(await accepts(token, brief)).toBe(401);
  });

  it('signs for the first issuer and the first audience, with the type', async () => {
    const several = { secret: SECRET, issuer: ['a', 'b'], audience: ['c', 'd'], type: 'at+jwt' };
    const token = await signToken({ sub: 'ada' }, several);
    expect(decodeJwt(token)).toMatchObject({ iss: 'a', aud: 'c' });
    expect(decodeProtectedHeader(token)).toMatchObject({ typ: 'at+jwt', alg: 'HS256' });
    expect(await accepts(token, several)).toMatchObject({ sub: 'ada' });
  });

  it.each<[string, string, () => unknown]>([
    ['RS256', 'PEM', () => rsa.privateKey.export({ type: 'pkcs8', format: 'pem' })],
    ['RS256', 'PKCS #1', () => rsa.privateKey.export({ type: 'pkcs1', format: 'pem' })],
    ['RS256', 'a JWK', () => rsa.privateKey.export({ format: 'jwk' })],
    ['PS384', 'a JWK', () => ({ ...rsa.privateKey.export({ format: 'jwk' }), alg: 'PS384' })],
    ['RS256', 'a KeyObject', () => rsa.privateKey],
    ['ES256', 'a KeyObject', () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey],
    [
      'ES512',
      'SEC 1',
      () =>
        generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey.export({
          type: 'sec1',
          format: 'pem',
        }),
    ],
    ['EdDSA', 'a KeyObject', () => generateKeyPairSync('ed25519').privateKey],
    [
      'ES384',
      'a CryptoKey',
      async () => {
        const algorithm = { name: 'ECDSA', namedCurve: 'P-384' };
        return (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])).privateKey;
      },
    ],
  ])('signs with %s and a privateKey that is %s', async (alg, _, create) => {
    const privateKey = (await create()) as NonNullable<JwtAuthOptions['privateKey']>;
    const given = { ...EXPECTED, privateKey };
    const token = await signToken({ sub: 'ada' }, given);
    expect(decodeProtectedHeader(token)).toMatchObject({ alg });
    expect(await accepts(token, given)).toMatchObject({ sub: 'ada' });
    const { privateKey: other } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    expect(await accepts(token, { ...EXPECTED, privateKey: other })).toBe(401);
  });

  it('names the key by its thumbprint, or by the kid of a JWK', async () => {
    const header = async (privateKey: JwtAuthOptions['privateKey']) =>
      decodeProtectedHeader(await signToken({}, { ...EXPECTED, privateKey: privateKey ?? '' }));
    // RFC 7638 §3.1
    const { kid = '' } = await header(rsa.privateKey);
    const { calculateJwkThumbprint } = await import('jose');
    expect(kid).toBe(await calculateJwkThumbprint(await exportJWK(rsa.publicKey)));
    const jwk = { ...(await exportJWK(rsa.privateKey)), kid: 'mine' };
    expect(await header(jwk)).toMatchObject({ kid: 'mine' });
    const jwks = { keys: [{ ...(await exportJWK(rsa.publicKey)), kid: 'mine', alg: 'RS256' }] };
    const token = await signToken({ sub: 'ada' }, { ...EXPECTED, privateKey: jwk });
    expect(await accepts(token, { ...EXPECTED, jwks })).toMatchObject({ sub: 'ada' });
  });

  it('reads the keys of an options object once', async () => {
    const get = vi.fn(() => SECRET);
    const given = Object.defineProperty({ ...EXPECTED } as JwtAuthOptions<undefined>, 'secret', {
      get,
      enumerable: true,
    });
    await signToken({ sub: 'ada' }, given);
    const reads = get.mock.calls.length;
    await signToken({ sub: 'ada' }, given);
    expect(reads).toBeGreaterThan(0);
    expect(get).toHaveBeenCalledTimes(reads);
  });

  it.each<[object, string]>([
    [
      { ...EXPECTED, jwks: 'https://login.example.com/keys' },
      'signToken() cannot sign with the key of an issuer, which only verifies. Pass secret or privateKey.',
    ],
    [{ ...EXPECTED, publicKey: rsa.publicKey }, 'Pass secret or privateKey.'],
    [
      { ...options, expiresIn: 0.5 },
      'expiresIn of signToken() must be an integer number of seconds',
    ],
    [
      { ...options, expireIn: 5 },
      "signToken() has no option 'expireIn'. Did you mean 'expiresIn'?",
    ],
    [{ secret: SECRET, issuer: 'a' }, 'signToken() needs audience'],
    [
      { ...EXPECTED, secret: [SECRET, 'x'.repeat(64)], algorithms: ['HS512'] },
      "signToken() cannot use ['HS512'] as algorithms of the first key, which signs. Use HS256.",
    ],
  ])('refuses the options %o', async (given, message) => {
    await expect(signToken({}, given as JwtAuthOptions<undefined>)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining(message),
    });
  });

  it.each<[unknown, string]>([
    [{ sub: 7 }, 'sub must be a non-empty string: got number. Use String(sub).'],
    [
      { sub: undefined },
      'sub must be a non-empty string: got undefined. Pass it, or leave sub out.',
    ],
    [{ jti: '' }, 'jti must be a non-empty string'],
    [{ exp: 5 }, 'signToken() sets exp from the option expiresIn. Remove it from the claims.'],
    [{ iss: ISSUER }, 'signToken() sets iss from the option issuer.'],
    ['ada', "they are 'ada'. Pass an object, such as { sub: id }."],
    [{ sub: 'a'.repeat(9_000) }, 'characters, but maxTokenLength is 8192.'],
    [{ tenant: 7 }, 'the schema of the option claims rejects them at tenant: '],
  ])('refuses the claims %o', async (given, message) => {
    const schema = z.object({ tenant: z.string().optional() });
    const call = signToken(given as never, { ...options, claims: schema });
    await expect(call).rejects.toMatchObject({
      status: 500,
      code: 'INVALID_CLAIMS',
      message: expect.stringContaining(message),
    });
  });
});

describe('several keys', () => {
  const rotated = { ...EXPECTED, secret: [SECRET, OLD] };

  it('sign with the first, and verify with all', async () => {
    const before = await signToken({ sub: 'ada' }, { ...EXPECTED, secret: OLD });
    const after = await signToken({ sub: 'ada' }, rotated);
    expect(await accepts(before, rotated)).toMatchObject({ sub: 'ada' });
    expect(await accepts(after, rotated)).toMatchObject({ sub: 'ada' });
    expect(await accepts(after, options)).toMatchObject({ sub: 'ada' });
    expect(await accepts(before, options)).toBe(401);
    const kids = [before, after].map((token) => decodeProtectedHeader(token).kid);
    expect(new Set(kids).size).toBe(2);
  });

  it('verify tokens that another library has signed, without a kid or with another one', async () => {
    for (const header of [{ alg: 'HS256' }, { alg: 'HS256', kid: 'other' }]) {
      const token = await sign({}, Buffer.from(OLD), header);
      expect(await accepts(token, rotated)).toMatchObject({ sub: 'ada' });
      const forged = await sign({}, Buffer.from('x'.repeat(32)), header);
      expect(await accepts(forged, rotated)).toBe(401);
    }
  });

  it('do not verify with a secret that is too short for the algorithm', async () => {
    const long = 'y'.repeat(64);
    const mixed = { ...EXPECTED, secret: [SECRET, long] };
    const signWith = (secret: string) => sign({}, Buffer.from(secret), { alg: 'HS512' });
    expect(await accepts(await signWith(long), mixed)).toMatchObject({ sub: 'ada' });
    expect(await accepts(await signWith(SECRET), mixed)).toBe(401);
  });

  it('may be public or private keys, of several types', async () => {
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const [first, second] = [rsa, ec].map(({ privateKey }) => ({ ...EXPECTED, privateKey }));
    const both = { ...EXPECTED, privateKey: [rsa.privateKey, ec.privateKey] };
    const publicKeys = { ...EXPECTED, publicKey: [rsa.publicKey, ec.publicKey] };
    for (const given of [first, second, both]) {
      const token = await signToken({ sub: 'ada' }, given ?? both);
      expect(await accepts(token, both)).toMatchObject({ sub: 'ada' });
      expect(await accepts(token, publicKeys)).toMatchObject({ sub: 'ada' });
    }
  });

  it('accept a token again that a later key has verified', async () => {
    const { middleware } = createJwtAuth(rotated);
    const app = createApp()
      .use(errorHandler(), middleware)
      .get('/', () => 'ok');
    const Authorization = `Bearer ${await sign(claims(), Buffer.from(OLD))}`;
    for (const _ of [1, 2]) {
      expect((await app.request('/', { headers: { Authorization } })).status).toBe(200);
    }
  });
});
