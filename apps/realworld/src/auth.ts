import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Context, Middleware } from '@fairlead/core';
import { secured } from '@fairlead/openapi';
import { jwtVerify, SignJWT } from 'jose';
import { unauthorized } from './errors.ts';
import type { Store, User } from './store/store.ts';

const ISSUER = 'conduit';

/** How long a token is valid. */
const LIFETIME = '7d';

/** How the OpenAPI document describes the header. */
const TOKEN = {
  name: 'Token',
  scheme: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'Token <JWT>' },
} as const;

export type Auth = ReturnType<typeof createAuth>;

/**
 * Signs and verifies tokens. RealWorld sends them as `Authorization: Token …`, so this uses jose itself:
 * `@fairlead/jwt` reads bearer tokens.
 *
 * @param secret - At least 32 characters.
 */
export function createAuth(store: Store, secret: string) {
  const key = new TextEncoder().encode(secret);

  /** Finds the user of a request, or undefined if it has no token. */
  async function findUser(ctx: Context): Promise<User | undefined> {
    const header = ctx.get('Authorization');
    if (header === undefined) return undefined;
    const [, token = ''] = /^Token +(\S+)$/i.exec(header) ?? [];
    const options = { issuer: ISSUER, algorithms: ['HS256'], requiredClaims: ['exp', 'sub'] };
    const verified = await jwtVerify(token, key, options).catch(() => undefined);
    // Users of valid tokens may be gone.
    const user = verified && (await store.findUser(Number(verified.payload.sub)));
    if (user === undefined) throw unauthorized('token', 'is invalid');
    return user;
  }

  const signedIn: Middleware<{ user: User }> = async (ctx, next) => {
    const user = await findUser(ctx);
    if (user === undefined) throw unauthorized('token', 'is missing');
    ctx.state.user = user;
    return next();
  };

  const maybeSignedIn: Middleware<{ user: User | undefined }> = async (ctx, next) => {
    ctx.state.user = await findUser(ctx);
    return next();
  };

  return {
    /** Sets `ctx.state.user`, or rejects the request. */
    signedIn: secured(signedIn, TOKEN),
    /** Sets `ctx.state.user` if the request has a token. */
    maybeSignedIn: secured(maybeSignedIn, { anyOf: [TOKEN, []] }),
    /** Creates a token for a user. */
    sign: ({ id }: User) =>
      new SignJWT()
        .setProtectedHeader({ alg: 'HS256' })
        .setIssuer(ISSUER)
        .setSubject(String(id))
        .setIssuedAt()
        .setExpirationTime(LIFETIME)
        .sign(key),
  };
}

const derive = promisify<string, Buffer, number, Buffer>(scrypt);

/** Hashes a password with a random salt. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  return `${salt.toString('hex')}:${(await derive(password, salt, 32)).toString('hex')}`;
}

/** Stands for the hash of an unknown user, so that the time does not reveal who exists. */
const NO_HASH = `${'0'.repeat(32)}:${'0'.repeat(64)}`;

export async function isPassword(password: string, hash = NO_HASH): Promise<boolean> {
  const [salt = '', expected = ''] = hash.split(':');
  const actual = await derive(password, Buffer.from(salt, 'hex'), 32);
  return timingSafeEqual(actual, Buffer.from(expected, 'hex'));
}
