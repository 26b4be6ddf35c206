export { createJwtAuth, type JwtAuth } from './jwt-auth.js';
export type { JwtKeys } from './keys.js';
export type { JwtAuthOptions } from './options.js';
export type { RemoteKeysOptions } from './remote-keys.js';
export { requireRole, requireScope } from './requirements.js';
export { signToken, type TokenClaims } from './sign-token.js';
export type { VerifiedToken } from './verified-token.js';
