const TRANSIENT = [
  'STORE_UNREACHABLE',
  'STORE_BUSY',
  'STORE_LOCKED',
  'STORE_INTERRUPTED',
  'STORE_GONE',
  'STORE_FULL',
] as const;

/** Stable code of a {@link StoreError}. */
export type StoreErrorCode =
  | (typeof TRANSIENT)[number]
  | 'STORE_NOT_A_DATABASE'
  | 'STORE_INCOMPATIBLE'
  | 'STORE_READ_ONLY'
  | 'STORE_CLOSED'
  | 'STORE_CONSTRAINT'
  | 'STORE_FAILED'
  | 'INVALID_OPTION'
  | 'INVALID_WRITE';

/** What @fairlead/core needs to respond with an error. Its extension interface documents the symbol. */
const RESPONSE: PropertyDescriptorMap = {
  [Symbol.for('fairlead:descriptor')]: { value: Object.freeze({ role: 'error' }) },
  status: { value: 503 },
  expose: { value: false },
  report: { value: true },
  headers: { value: Object.freeze({ 'Retry-After': '1' }) },
  details: { value: Object.freeze({}) },
};

/**
 * A store cannot be opened, read or written, or a call received an invalid argument. The message names the
 * store or the call, and explains the fix.
 *
 * If nothing catches it, an application of @fairlead/core responds with 503, the code and `Retry-After` to a
 * transient error, and with a generic 500 to any other. Clients do not receive the message.
 */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;

  /** @param cause - The underlying error, such as the error from the database. */
  constructor(code: StoreErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    if (this.isTransient) Object.defineProperties(this, RESPONSE);
  }

  /** Whether the same call may succeed later without a change to the program. */
  get isTransient(): boolean {
    return TRANSIENT.some((code) => code === this.code);
  }
}
