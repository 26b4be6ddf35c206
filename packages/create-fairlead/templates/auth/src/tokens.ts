import { createJwtAuth, signToken } from '@fairlead/jwt';
import { z } from 'zod';
import type { Account } from './schemas.js';

/** Seconds for which a token is valid. A changed role takes effect in the next token. */
const LIFETIME = 15 * 60;
const ISSUER = '{{name}}';

/** Issues and verifies the tokens of accounts. */
export class Tokens {
  /** Verifies tokens. The guard and the controllers use it. */
  readonly auth;
  readonly #options;

  /** @param secret - The first one signs. All verify. */
  constructor(secret: readonly string[]) {
    const claims = z.object({ sub: z.coerce.number() });
    this.#options = { issuer: ISSUER, audience: ISSUER, secret, claims, expiresIn: LIFETIME };
    this.auth = createJwtAuth(this.#options);
  }

  async issue({ id, role }: Account) {
    const token = await signToken({ sub: String(id), roles: [role] }, this.#options);
    return { token, expiresIn: LIFETIME };
  }
}
