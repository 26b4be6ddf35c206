/** Users in one batch of a list, at most. */
export const BATCH_USERS = 100;

/** Characters in the names and addresses of one batch after which it ends. */
export const BATCH_TEXT = 1024 * 1024;
