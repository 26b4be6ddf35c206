export type { SqliteValue, WrittenRow } from './connection.js';
export { streamJsonList } from './json-list.js';
export { openSqlite, type SqliteDatabase, type SqliteOptions } from './sqlite-database.js';
export { StoreError, type StoreErrorCode } from './store-error.js';
export { type WriteBatch, WriteQueue, type WriteQueueLimits } from './write-queue.js';
export type { StoreMetric } from './writer.js';
