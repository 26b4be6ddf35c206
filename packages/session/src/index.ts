export { SessionError, type SessionErrorCode } from './errors.js';
export { createMemoryStore, type MemoryStoreOptions } from './memory-store.js';
export { type SessionOptions, session } from './middleware.js';
export type { RotateOptions, Session } from './session.js';
export { endSessions, type SessionOwner, type SessionStore } from './stored-sessions.js';
