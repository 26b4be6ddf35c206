/** Stable code of a {@link StoreError}. */
export type StoreErrorCode =
  | 'STORE_UNREACHABLE'
  | 'STORE_NOT_A_DATABASE'
  | 'STORE_INCOMPATIBLE'
  | 'STORE_BUSY'
  | 'STORE_LOCKED'
  | 'STORE_INTERRUPTED'
  | 'STORE_GONE'
  | 'STORE_READ_ONLY'
  | 'STORE_FULL'
  | 'STORE_CLOSED'
  | 'STORE_FAILED';

const TRANSIENT: ReadonlySet<StoreErrorCode> = new Set([
  'STORE_UNREACHABLE',
  'STORE_BUSY',
  'STORE_LOCKED',
  'STORE_INTERRUPTED',
  'STORE_GONE',
  'STORE_FULL',
]);

/** A store cannot be opened, read or written. The message names the store and explains the fix. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  /** Stable code of the problem. */
  readonly code: StoreErrorCode;

  /**
   * @param code - Stable code of the problem.
   * @param message - The store, the problem and the fix.
   * @param cause - The underlying error, if any.
   */
  constructor(code: StoreErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }

  /** Whether the same call may succeed later without a change to this service. */
  get isTransient(): boolean {
    return TRANSIENT.has(this.code);
  }
}
