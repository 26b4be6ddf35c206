/**
 * Setup file of every test file: with `TEST_SEED` set, fast-check draws from that seed. A property that
 * fails shows its seed, so that the variable repeats the failure.
 */
const { TEST_SEED } = process.env;

// Most test files have no properties: without a seed, none of them waits for fast-check to load.
if (TEST_SEED !== undefined) {
  const { configureGlobal } = await import('fast-check');
  configureGlobal({ seed: Number(TEST_SEED) });
}

export {};
