import { createJwtAuth } from '@fairlead/jwt';
import { SignJWT } from 'jose';
import { z } from 'zod';
import type { Account } from './schemas.js';

/** Seconds for which a token is valid. A changed role takes effect in the next token. */
const LIFETIME = 15 * 60;
const ISSUER = '{{name}}';

export const Token = z
  .object({ token: z.string(), expiresIn: z.int().describe('Seconds') })
  .meta({ id: 'Token' });
export type Token = z.infer<typeof Token>;

/** Issues and verifies the tokens of accounts. */
export class Tokens {
  /** Verifies tokens. The guard and the controllers use it. */
  readonly auth;
  readonly #key: Uint8Array;

  constructor(secret: string) {
    this.#key = new TextEncoder().encode(secret);
    const claims = z.object({ sub: z.coerce.number() });
    this.auth = createJwtAuth({ issuer: ISSUER, audience: ISSUER, secret: this.#key, claims });
  }

  async issue({ id, role }: Account): Promise<Token> {
    const token = await new SignJWT({ roles: [role] })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(ISSUER)
      .setAudience(ISSUER)
      .setSubject(String(id))
      .setIssuedAt()
      .setExpirationTime(`${LIFETIME}s`)
      .sign(this.#key);
    return { token, expiresIn: LIFETIME };
  }
}
