/** The page that a client asked for. */
export interface Pagination {
  /** 1-based. */
  readonly page: number;
  /** Largest number of users on the page, at least 1. */
  readonly limit: number;
}

/** A stretch of the list, as a store reads it. */
export interface Slice {
  /** Users to pass over, 0 or more, a safe integer. */
  readonly offset: number;
  /** Largest number of users to return, 1 or more, a safe integer. */
  readonly limit: number;
}

const DEFAULT_PAGE = 1;
const DEFAULT_LIMIT = 10;

/**
 * Reads `page` and `limit` from a query.
 *
 * @param query - Query parameters, one string each.
 * @returns The page asked for, or `undefined` when the query has neither parameter.
 * @see Specification, "Pagination variant of the list endpoint"
 */
export function readPagination(query: Readonly<Record<string, string>>): Pagination | undefined {
  if (query.page === undefined && query.limit === undefined) return undefined;
  return {
    page: positiveInteger(query.page, DEFAULT_PAGE),
    limit: positiveInteger(query.limit, DEFAULT_LIMIT),
  };
}

/**
 * Finds where a page lies in the list.
 *
 * @param pagination - Page and limit, each an integer of at least 1.
 * @returns Offset and limit, each held to the largest safe integer: no list is longer.
 */
export function sliceOf({ page, limit }: Pagination): Slice {
  return {
    offset: Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER),
    limit: Math.min(limit, Number.MAX_SAFE_INTEGER),
  };
}

// Infinity has no JSON form, so it counts as non-numeric.
function positiveInteger(text: string | undefined, fallback: number): number {
  const value = Math.trunc(Number(text));
  return Number.isFinite(value) && value >= 1 ? value : fallback;
}
