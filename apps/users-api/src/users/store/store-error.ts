/** What kept a store from its work. */
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

const PASSING: ReadonlySet<StoreErrorCode> = new Set([
  'STORE_UNREACHABLE',
  'STORE_BUSY',
  'STORE_LOCKED',
  'STORE_INTERRUPTED',
  'STORE_GONE',
  'STORE_FULL',
]);

/** A store that cannot be opened, read or written. The message names the store and what to do. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  /** Stable name of the problem. */
  readonly code: StoreErrorCode;

  /**
   * @param code - Stable name of the problem.
   * @param message - Which store, what is wrong, what to do.
   * @param cause - The error below it, if any.
   */
  constructor(code: StoreErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }

  /** Whether the same call may succeed later without anyone touching this service. */
  get mayPass(): boolean {
    return PASSING.has(this.code);
  }
}
