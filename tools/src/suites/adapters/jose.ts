/** jose as installed for @fairlead/jwt, whose verifier replaces `jwtVerify()`. Each token is verified twice: the verifier remembers it. */
import { createRequire } from 'node:module';
import { createVerifier } from '../../../../packages/jwt/src/verifier.ts';

const jose = createRequire(import.meta.resolve('@fairlead/jwt'))('jose');

export async function jwtVerify(
  token: string | Uint8Array,
  key: unknown,
  options: object = {},
): Promise<object> {
  const find = typeof key === 'function' ? key : () => key;
  const verify = createVerifier(find as never, { clockTolerance: 0, ...options });
  const text = typeof token === 'string' ? token : new TextDecoder().decode(token);
  await verify(text);
  return { payload: await verify(text), protectedHeader: jose.decodeProtectedHeader(text) };
}

export const { base64url, SignJWT, CompactSign, UnsecuredJWT, generateKeyPair, importJWK, errors } =
  jose;
