/** Resolves when a promise does, or after a number of milliseconds. */
export async function waitAtMost(timeout: number, promise: Promise<unknown>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timeout);
  try {
    await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
