/**
 * Runs something for a server, and says in its error which one it was.
 *
 * @param names - Of the server and the workload.
 */
export async function blaming<Result>(
  names: readonly string[],
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (cause) {
    throw new Error(`${names.join(', ')}: ${(cause as Error).message}`, { cause });
  }
}
