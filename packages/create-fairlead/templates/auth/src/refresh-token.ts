import { createHash, randomBytes, randomUUID } from 'node:crypto';

/** Milliseconds from a sign-in until its refresh tokens expire: 30 days. */
export const SIGN_IN_LIFETIME = 30 * 24 * 60 * 60 * 1000;

/** Creates a refresh token. It begins with the ID of its sign-in. */
export function createRefreshToken(id: string = randomUUID()): string {
  return `${id}.${randomBytes(32).toString('base64url')}`;
}

/** Returns what the database has of a refresh token. Nobody can sign in with it. */
export function readRefreshToken(token: string) {
  const [id = ''] = token.split('.');
  return { id, hash: createHash('sha256').update(token).digest('base64url') };
}
