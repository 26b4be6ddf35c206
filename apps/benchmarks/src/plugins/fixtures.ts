import { createHmac } from 'node:crypto';

/** The key of tokens and sessions: 32 bytes. */
export const SECRET = 'a secret of thirty-two bytes 123';

export const ISSUER = 'https://login.example.com/';

export const AUDIENCE = 'https://api.example.com';

/** A list of about 16 KB in JSON. */
export const LIST = Array.from({ length: 100 }, (_, index) => ({
  id: index,
  name: `User ${index}`,
  email: `user-${index}@example.org`,
  bio: `Writes about ${index % 7} topics, and reads about ${index % 11}.`,
}));

/** Signs a token for Ada that is valid for an hour. */
export function createToken(): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = {
    iss: ISSUER,
    aud: AUDIENCE,
    sub: 'ada',
    exp: Math.floor(Date.now() / 1_000) + 3_600,
  };
  const text = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${text}.${createHmac('sha256', SECRET).update(text).digest('base64url')}`;
}
