import { createSecretKey, generateKeyPairSync, webcrypto } from 'node:crypto';
import { createApp, errorHandler, intended, type StandardSchema } from '@fairlead/core';
import { descriptionOf } from '@fairlead/core/extend';
import { exportJWK } from 'jose';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { jwtGuard } from '../src/controllers.js';
import { createJwtAuth, type JwtAuthOptions, requireRole, requireScope } from '../src/index.js';
import { createPair, EXPECTED, SECRET, sign } from './support/issuer.js';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const spki = { type: 'spki', format: 'pem' } as const;
const pkcs8 = { type: 'pkcs8', format: 'pem' } as const;

describe('a schema of claims that rejects what every token has', () => {
  const create = (claims: StandardSchema) => createJwtAuth({ ...EXPECTED, secret: SECRET, claims });

  it.each<[string, StandardSchema]>([
    ['iss, aud, exp', z.strictObject({ sub: z.string() })],
    ['exp', z.object({ exp: z.date() })],
    ['exp', z.object({ exp: z.string(), aud: z.array(z.string()) })],
    ['aud', z.strictObject({ iss: z.string(), exp: z.number() })],
    ['iss', z.object({ iss: z.literal('https://other.example.com') })],
  ])('is refused, with %s', (names, claims) => {
    expect(() => create(claims)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringContaining(
          `claims of createJwtAuth() rejects every token, because it does not accept ${names} as tokens have them`,
        ),
      }),
    );
  });

  it.each<[string, StandardSchema]>([
    ['it accepts others', z.object({ sub: z.string() })],
    ['it has all', z.strictObject({ iss: z.string(), aud: z.string(), exp: z.number() })],
    ['it converts them', z.object({ exp: z.coerce.date(), sub: z.string() })],
    ['a function receives them first', z.preprocess(() => ({}), z.strictObject({}))],
  ])('is none if %s', (_, claims) => {
    expect(() => create(claims)).not.toThrow();
  });
});

describe('createJwtAuth()', () => {
  it.each<[object | undefined, string]>([
    [
      undefined,
      'createJwtAuth() needs issuer, to reject tokens from other issuers and for other audiences. Pass it.',
    ],
    [{ issuer: 'a', secret: SECRET }, 'createJwtAuth() needs audience, to reject'],
    [{ audience: 'a', secret: SECRET }, 'createJwtAuth() needs issuer, to reject'],
    [EXPECTED, 'createJwtAuth() needs a key. Pass either secret, publicKey, privateKey or jwks.'],
    [
      { ...EXPECTED, secret: SECRET, jwks: 'https://a' },
      'createJwtAuth() needs one key, not secret and jwks. Pass either',
    ],
    [{ ...EXPECTED, secret: SECRET, isuer: 'a' }, "has no option 'isuer'. Did you mean 'issuer'?"],
    [{ issuer: '', audience: [], secret: SECRET }, 'must be a non-empty string or'],
    [{ issuer: 'a', audience: [], secret: SECRET }, 'audience of createJwtAuth() must be'],
    [{ issuer: 'a', audience: ['a', ''], secret: SECRET }, 'audience of createJwtAuth() must be'],
    [
      { ...EXPECTED, secret: SECRET, maxTokenLength: 0 },
      'maxTokenLength of createJwtAuth() must be an integer of at least 1: got 0.',
    ],
    [{ ...EXPECTED, secret: SECRET, clockTolerance: -1 }, 'from 0 to 300: got -1.'],
    [{ ...EXPECTED, secret: SECRET, clockTolerance: 301 }, ': got 301.'],
    [
      { ...EXPECTED, secret: SECRET, realm: 'a"b' },
      'realm of createJwtAuth() must be printable ASCII',
    ],
    [{ ...EXPECTED, secret: SECRET, claims: {} }, 'must be a Standard Schema'],
    [
      { ...EXPECTED, jwks: 'https://a', remote: { timeot: 1 } },
      "has no option 'timeot'. Did you mean 'timeout'?",
    ],
    [{ ...EXPECTED, jwks: 'https://a', remote: [] }, 'must be an object: got [].'],
    [
      { ...EXPECTED, secret: SECRET, algorithms: ['none'] },
      'algorithms of createJwtAuth() must be a non-empty array of HS256',
    ],
    [{ ...EXPECTED, secret: SECRET, algorithms: [] }, ': got [].'],
    [
      { ...EXPECTED, secret: SECRET, algorithms: ['RS256'] },
      "cannot use ['RS256'] as algorithms of this key. Use HS256.",
    ],
    [
      { ...EXPECTED, publicKey: rsa.publicKey, algorithms: ['HS256'] },
      'as algorithms of this key. Use RS256',
    ],
    [{ ...EXPECTED, jwks: 'https://a', algorithms: ['HS256'] }, 'as algorithms of this key.'],
    [
      { ...EXPECTED, secret: 'short' },
      'cannot use a secret of 5 bytes as secret. Use at least 32 random bytes',
    ],
    [{ ...EXPECTED, secret: '' }, 'cannot use a secret of 0 bytes as secret.'],
    [{ ...EXPECTED, secret: [] }, 'cannot use [] as secret. Pass at least one.'],
    [
      { ...EXPECTED, secret: [SECRET, undefined] },
      'cannot use undefined as secret[1]. Use a string',
    ],
    [{ ...EXPECTED, secret: [SECRET, 'old'] }, 'cannot use a secret of 3 bytes as secret[1].'],
    [{ ...EXPECTED, publicKey: [ec.publicKey, rsa.privateKey] }, 'a private key as publicKey[1].'],
    [{ ...EXPECTED, privateKey: [] }, 'cannot use [] as privateKey. Pass at least one.'],
    [
      { ...EXPECTED, privateKey: ec.publicKey },
      'cannot use a public key as privateKey. Use the private key of the pair, or publicKey to verify only.',
    ],
    [
      { ...EXPECTED, privateKey: ec.publicKey.export(spki) },
      'cannot use a public key as privateKey.',
    ],
    [
      { ...EXPECTED, privateKey: ec.publicKey.export({ format: 'jwk' }) },
      'a public key as privateKey.',
    ],
    [
      { ...EXPECTED, privateKey: createSecretKey(Buffer.alloc(32)) },
      'a secret key as privateKey. Use secret.',
    ],
    [{ ...EXPECTED, privateKey: 'secret' }, 'cannot use this privateKey. Use PEM (PKCS #8'],
    [
      { ...EXPECTED, privateKey: generateKeyPairSync('rsa', { modulusLength: 1_024 }).privateKey },
      'an RSA key of 1024 bits as privateKey.',
    ],
    [
      { ...EXPECTED, privateKey: String(ec.privateKey.export(pkcs8)).replaceAll('\n', '\\n') },
      "contains '\\' and 'n' instead of line breaks. Replace them: privateKey.replaceAll('\\\\n', '\\n').",
    ],
    [
      { ...EXPECTED, secret: SECRET, expiresIn: 0 },
      'expiresIn of createJwtAuth() must be an integer',
    ],
    [{ ...EXPECTED, secret: 1 }, 'cannot use 1 as secret. Use a string or bytes.'],
    [{ ...EXPECTED, secret: rsa.publicKey.export(spki) }, 'cannot use a PEM key as secret'],
    [
      { ...EXPECTED, publicKey: rsa.privateKey.export(pkcs8) },
      'cannot use a private key as publicKey.',
    ],
    [
      { ...EXPECTED, publicKey: rsa.privateKey },
      'cannot use a private key as publicKey. Use the public key of the pair, or privateKey to sign.',
    ],
    [
      { ...EXPECTED, publicKey: createSecretKey(Buffer.alloc(32)) },
      'cannot use a secret key as publicKey. Use secret.',
    ],
    [
      { ...EXPECTED, publicKey: rsa.privateKey.export({ format: 'jwk' }) },
      'cannot use a private key',
    ],
    [
      { ...EXPECTED, publicKey: { kty: 'oct', k: 'AAAA' } },
      'cannot use a secret key as publicKey. Use secret.',
    ],
    [{ ...EXPECTED, publicKey: 'secret' }, 'cannot use this publicKey. Use PEM'],
    [
      { ...EXPECTED, publicKey: String(rsa.publicKey.export(spki)).replaceAll('\n', '\\n') },
      "contains '\\' and 'n' instead of line breaks. Replace them: publicKey.replaceAll('\\\\n', '\\n').",
    ],
    [{ ...EXPECTED, publicKey: {} }, 'cannot use this publicKey. Use PEM'],
    [{ ...EXPECTED, publicKey: 5 }, 'cannot use 5 as publicKey. Use PEM'],
    [
      { ...EXPECTED, publicKey: generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey },
      'cannot use an RSA key of 1024 bits as publicKey. Use a key of at least 2048 bits.',
    ],
    [
      { ...EXPECTED, publicKey: generateKeyPairSync('x25519').publicKey },
      'cannot use a key of type x25519 as publicKey.',
    ],
    [
      { ...EXPECTED, publicKey: { ...ec.publicKey.export({ format: 'jwk' }), alg: 'RS256' } },
      'a key of type ec for RS256 as publicKey.',
    ],
    [
      { ...EXPECTED, jwks: 'issuer' },
      "cannot use 'issuer' as jwks. Use a URL that begins with https://.",
    ],
    [
      { ...EXPECTED, jwks: 'http://issuer.example/jwks' },
      "cannot use 'http:' as the protocol of jwks",
    ],
    [
      { ...EXPECTED, jwks: 'http://127.0.0.1.example/' },
      "cannot use 'http:' as the protocol of jwks",
    ],
    [{ ...EXPECTED, jwks: 'file:///etc/keys' }, "cannot use 'file:' as the protocol of jwks"],
    [
      { ...EXPECTED, jwks: 'https://ada:secret@issuer.example:99999/' },
      'createJwtAuth() cannot use this URL as jwks. Use a URL that begins with https://.',
    ],
    ...['https://ada:secret@issuer.example/', 'https://ada@issuer.example/', 'https://:a@b/']
      .flatMap((url) => [url, new URL(url)])
      .map((jwks): [object, string] => [
        { ...EXPECTED, jwks },
        'createJwtAuth() cannot use a URL with a user name or a password as jwks, because fetch() rejects it. Remove them from the URL.',
      ]),
    [{ ...EXPECTED, jwks: { keys: [] } }, 'cannot use this jwks. Use a URL, or an object { keys }'],
    [{ ...EXPECTED, jwks: { keys: [{ kty: 'oct', k: 'AAAA' }] } }, 'cannot use this jwks.'],
    [{ ...EXPECTED, jwks: { keys: [rsa.privateKey.export({ format: 'jwk' })] } }, 'this jwks.'],
    [{ ...EXPECTED, jwks: { keys: [ec.publicKey.export({ format: 'jwk' }), 5] } }, 'this jwks.'],
    [
      {
        ...EXPECTED,
        jwks: {
          keys: [ec, generateKeyPairSync('rsa', { modulusLength: 1_024 })].map(({ publicKey }) =>
            publicKey.export({ format: 'jwk' }),
          ),
        },
      },
      'cannot use an RSA key of 1024 bits as jwks.keys[1]. Use a key of at least 2048 bits.',
    ],
    [
      { ...EXPECTED, jwks: new URL('ftp://127.0.0.1/') },
      "cannot use 'ftp:' as the protocol of jwks",
    ],
    [{ ...EXPECTED, jwks: 5 }, 'cannot use this jwks.'],
  ])('rejects %o', (options, message) => {
    expect(() => Reflect.apply(createJwtAuth, undefined, [options])).toThrow(
      expect.objectContaining({
        name: 'SetupError',
        code: 'INVALID_OPTION',
        message: expect.stringContaining(message),
      }),
    );
  });

  it('is a factory, like those of middleware', () => {
    const factories = [createJwtAuth, requireScope, requireRole, jwtGuard];
    expect(factories.map((one) => descriptionOf(one)?.role)).toEqual(
      factories.map(() => 'factory'),
    );
  });
});

it('remote without a URL of keys causes a warning, unless it is intended', () => {
  const emit = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
  onTestFinished(() => emit.mockRestore());
  const start = (options: object, mark = (one: object) => one) => {
    const { middleware } = createJwtAuth({ ...EXPECTED, ...options });
    mark(middleware);
    createApp()
      .use(middleware)
      .get('/', () => 1)
      .seal();
  };
  start({ secret: SECRET, remote: { timeout: 500 } });
  expect(emit.mock.calls.map(([message]) => message)).toEqual([
    expect.stringContaining(
      'createJwtAuth() ignores remote, because it fetches no keys. Pass a URL as jwks, remove remote, or pass the middleware to intended().',
    ),
  ]);
  start({ secret: SECRET, remote: { timeout: 500 } }, intended);
  start({ jwks: 'https://login.example.com/keys', remote: { timeout: 500 } });
  expect(emit).toHaveBeenCalledOnce();
});

it('the middleware has the name that messages use', () => {
  const { middleware } = createJwtAuth({ ...EXPECTED, secret: SECRET });
  expect(descriptionOf(middleware)?.name).toBe('auth.middleware');
});

describe('a key', () => {
  const statusOf = async (options: Partial<JwtAuthOptions>, token: string) => {
    const { middleware } = createJwtAuth({
      ...EXPECTED,
      ...options,
    } as unknown as JwtAuthOptions<undefined>);
    const app = createApp()
      .use(errorHandler(), middleware)
      .get('/', () => 'ok');
    return (await app.request('/', { headers: { Authorization: `Bearer ${token}` } })).status;
  };

  it.each<[string, () => unknown]>([
    ['PEM', () => rsa.publicKey.export(spki)],
    ['a JWK', () => exportJWK(rsa.publicKey)],
    ['a KeyObject', () => rsa.publicKey],
    [
      'a CryptoKey',
      () => {
        const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
        const der = rsa.publicKey.export({ type: 'spki', format: 'der' });
        return webcrypto.subtle.importKey('spki', der, algorithm, true, ['verify']);
      },
    ],
  ])('may be %s', async (_, create) => {
    const publicKey = (await create()) as NonNullable<JwtAuthOptions['publicKey']>;
    for (const alg of ['RS256', 'PS256', 'RS512']) {
      expect(await statusOf({ publicKey }, await sign({}, rsa.privateKey, { alg }))).toBe(200);
    }
    const other = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
    expect(await statusOf({ publicKey }, await sign({}, other, { alg: 'RS256' }))).toBe(401);
  });

  it.each([
    ['ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
    ['ES384', generateKeyPairSync('ec', { namedCurve: 'P-384' })],
    ['ES512', generateKeyPairSync('ec', { namedCurve: 'P-521' })],
    ['EdDSA', generateKeyPairSync('ed25519')],
    ['Ed25519', generateKeyPairSync('ed25519')],
  ])('may be for %s', async (alg, { publicKey, privateKey }) => {
    expect(await statusOf({ publicKey }, await sign({}, privateKey, { alg }))).toBe(200);
  });

  it('may be bytes, for every algorithm that it is long enough for', async () => {
    const secret = new Uint8Array(48).fill(7);
    expect(await statusOf({ secret }, await sign({}, secret, { alg: 'HS384' }))).toBe(200);
    expect(
      await statusOf({ secret, algorithms: ['HS256'] }, await sign({}, secret, { alg: 'HS384' })),
    ).toBe(401);
    expect(() => createJwtAuth({ ...EXPECTED, secret, algorithms: ['HS512'] })).toThrow(
      'Use HS256, HS384.',
    );
  });

  // RFC 7518 §3.2
  it.each([
    [31, 'a secret of 31 bytes as secret. Use at least 32'],
    [32, 'Use HS256.'],
    [47, 'Use HS256.'],
    [48, 'Use HS256, HS384.'],
    [63, 'Use HS256, HS384.'],
    [64, 'Use HS256, HS384, HS512.'],
  ])('may be %i bytes if they are enough for an algorithm: %s', (size, message) => {
    const secret = new Uint8Array(size).fill(7);
    const create = () => createJwtAuth({ ...EXPECTED, secret, algorithms: ['RS256'] });
    expect(create).toThrow(message);
  });

  it('with an algorithm of its own is used for no other', async () => {
    const jwk = { ...(await exportJWK(rsa.publicKey)), alg: 'PS256' };
    expect(
      await statusOf({ publicKey: jwk }, await sign({}, rsa.privateKey, { alg: 'PS256' })),
    ).toBe(200);
    expect(
      await statusOf({ publicKey: jwk }, await sign({}, rsa.privateKey, { alg: 'RS256' })),
    ).toBe(401);
  });

  it('of a set is selected by its kid', async () => {
    const [a, b] = [await createPair('a'), await createPair('b')];
    const jwks = { keys: [a.jwk, b.jwk] };
    const token = await sign({}, b.privateKey, { alg: 'ES256', kid: 'b' });
    expect(await statusOf({ jwks }, token)).toBe(200);
    expect(await statusOf({ jwks }, await sign({}, b.privateKey, { alg: 'ES256', kid: 'a' }))).toBe(
      401,
    );
  });
});
