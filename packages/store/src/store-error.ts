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
  | 'STORE_FAILED'
  | 'INVALID_STORE_OPTION'
  | 'INVALID_WRITE';

/**
 * A store cannot be opened, read or written, or a call received an invalid argument. The message names the
 * store or the call, and explains the fix.
 */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;

  /** @param cause - The error behind this one, such as that of the database. */
  constructor(code: StoreErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }

  /** Whether the same call may succeed later without a change to the program. */
  get isTransient(): boolean {
    return TRANSIENT.some((code) => code === this.code);
  }
}
