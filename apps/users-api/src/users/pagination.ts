import type { Slice } from './store/user-store.js';

/** A requested page. */
export interface Pagination {
  /** 1-based. */
  readonly page: number;
  /** Maximum number of users on the page, at least 1. */
  readonly limit: number;
}

/**
 * Converts a page to a range of the list.
 *
 * @param pagination - Page and limit, each an integer of at least 1.
 * @returns Offset and limit, each capped at the largest safe integer.
 */
export function sliceOf({ page, limit }: Pagination): Slice {
  return {
    offset: Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER),
    limit: Math.min(limit, Number.MAX_SAFE_INTEGER),
  };
}
