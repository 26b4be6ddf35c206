import { hash } from 'node:crypto';
import { setWithin } from '@fairlead/options';
import {
  decodeJwt,
  type JWTHeaderParameters,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose';

/** The number of tokens whose verification is remembered. The oldest is forgotten first. */
const MAX_REMEMBERED = 10_000;

/** What a token was verified with. */
interface Verification {
  readonly header: JWTHeaderParameters;
  readonly key: unknown;
  /** When the token is no longer accepted, in seconds since 1970. */
  readonly end: number;
}

/**
 * Creates a function that verifies tokens and returns their claims. A token is verified again only when its
 * key has changed, so a client's next requests cost less.
 *
 * @param requirements - What tokens must have. `exp` must be among the required claims.
 * @throws {errors.JOSEError} From the function, when a token is not accepted.
 */
export function createVerifier(
  findKey: JWTVerifyGetKey,
  requirements: JWTVerifyOptions & { readonly clockTolerance: number },
): (token: string) => Promise<JWTPayload> {
  const remembered = new Map<string, Verification>();

  const isVerified = async ({ header, key, end }: Verification): Promise<boolean> => {
    if (Date.now() / 1_000 >= end) return false;
    // An issuer may have withdrawn the key.
    return (await findKey(header, { payload: '', signature: '' })) === key;
  };

  return async (token) => {
    const id = hash('sha256', token, 'base64url');
    const earlier = remembered.get(id);
    if (earlier !== undefined && (await isVerified(earlier))) return decodeJwt(token);
    let key: unknown;
    const { payload, protectedHeader } = await jwtVerify(
      token,
      async (header, parts) => {
        const found = await findKey(header, parts);
        key = found;
        return found;
      },
      requirements,
    );
    const end = Number(payload.exp) + requirements.clockTolerance;
    setWithin(remembered, MAX_REMEMBERED, id, { header: protectedHeader, key, end });
    return payload;
  };
}
