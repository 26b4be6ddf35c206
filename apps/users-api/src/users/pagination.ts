/** A requested page. */
export interface Pagination {
  /** 1-based. */
  readonly page: number;
  /** Maximum number of users on the page, at least 1. */
  readonly limit: number;
}

/** A range of the list of users. */
export interface Slice {
  /** Number of users to skip, a safe integer of at least 0. */
  readonly offset: number;
  /** Maximum number of users to return, a safe integer of at least 1. */
  readonly limit: number;
}

const DEFAULT_PAGE = 1;
const DEFAULT_LIMIT = 10;

/**
 * Reads `page` and `limit` from a query. Invalid values fall back to 1 and 10.
 *
 * @param query - Query parameters by name.
 * @returns The requested page, or `undefined` when the query has neither parameter.
 */
export function readPagination(
  query: Readonly<Record<string, string | undefined>>,
): Pagination | undefined {
  if (query.page === undefined && query.limit === undefined) return undefined;
  return {
    page: positiveInteger(query.page, DEFAULT_PAGE),
    limit: positiveInteger(query.limit, DEFAULT_LIMIT),
  };
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

// JSON cannot represent Infinity, so it counts as non-numeric.
function positiveInteger(text: string | undefined, fallback: number): number {
  const value = Math.trunc(Number(text));
  return Number.isFinite(value) && value >= 1 ? value : fallback;
}
