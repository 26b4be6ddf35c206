import { hash } from 'node:crypto';
import { setWithin } from '@fairlead/options';
import {
  decodeJwt,
  errors,
  type JWTHeaderParameters,
  type JWTPayload,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose';
import type { KeySource, UsableKey } from './keys.js';

/** The number of tokens whose verification is remembered. The oldest is forgotten first. */
const MAX_REMEMBERED = 10_000;

/** What a token was verified with. */
interface Verification {
  readonly header: JWTHeaderParameters;
  readonly key: UsableKey;
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
  findKeys: KeySource['find'],
  requirements: JWTVerifyOptions & { readonly clockTolerance: number },
): (token: string) => Promise<JWTPayload> {
  const remembered = new Map<string, Verification>();

  const isVerified = async ({ header, key, end }: Verification): Promise<boolean> => {
    if (Date.now() / 1_000 >= end) return false;
    // An issuer may have withdrawn the key.
    return (await findKeys(header, { payload: '', signature: '' })).includes(key);
  };

  return async (token) => {
    const id = hash('sha256', token, 'base64url');
    const earlier = remembered.get(id);
    if (earlier !== undefined && (await isVerified(earlier))) return decodeJwt(token);
    const { payload, header, key } = await verifyWithAny(token, findKeys, requirements);
    const end = Number(payload.exp) + requirements.clockTolerance;
    setWithin(remembered, MAX_REMEMBERED, id, { header, key, end });
    return payload;
  };
}

/** Verifies a token with each key that may have signed it, until one has. */
async function verifyWithAny(
  token: string,
  findKeys: KeySource['find'],
  requirements: JWTVerifyOptions,
): Promise<{ payload: JWTPayload; header: JWTHeaderParameters; key: UsableKey }> {
  let keys: readonly UsableKey[] = [];
  for (let index = 0; ; index += 1) {
    try {
      const { payload, protectedHeader } = await jwtVerify(
        token,
        async (header, parts) => {
          keys = await findKeys(header, parts);
          return keys[index] as UsableKey;
        },
        requirements,
      );
      return { payload, header: protectedHeader, key: keys[index] as UsableKey };
    } catch (error) {
      const isOther = error instanceof errors.JWSSignatureVerificationFailed;
      if (!isOther || index + 1 >= keys.length) throw error;
    }
  }
}
