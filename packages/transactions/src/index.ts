export {
  type Isolation,
  isConflict,
  isUnreachable,
  type KeptResponse,
  type ResponseKeys,
  type TransactionAdapter,
  type TransactionSettings,
} from './adapter.js';
export { type IdempotencyOptions, idempotency, idempotencyTable } from './idempotency.js';
export type { KeyOptions } from './keyed-request.js';
export {
  createTransactions,
  type RunOptions,
  type TransactionOptions,
  type Transactions,
  type TransactionsOptions,
} from './transactions.js';
