export { createJwtAuth, type JwtAuth, type JwtAuthOptions } from './jwt-auth.js';
export type { JwtKeys } from './keys.js';
export type { RemoteKeysOptions } from './remote-keys.js';
export { requireRole, requireScope } from './requirements.js';
export type { VerifiedToken } from './verified-token.js';
