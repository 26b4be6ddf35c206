const { PATH, NODE_COMPILE_CACHE } = process.env;

/** The variables of a process that a test starts: none of the test runner's, but its cache of compiled code. */
export const ENVIRONMENT: NodeJS.ProcessEnv = { PATH, NODE_COMPILE_CACHE };
