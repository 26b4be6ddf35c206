/** A middleware of either library. */
export type Step = (ctx: unknown, next: () => unknown) => unknown;

// Written out one by one: calls to functions of one source are optimized as no application's are.
const SYNC: readonly Step[] = [
  (_ctx, next) => next(),
  (_ctx, next) => next(),
  (_ctx, next) => next(),
  (_ctx, next) => next(),
  (_ctx, next) => next(),
  (_ctx, next) => next(),
  (_ctx, next) => next(),
  (_ctx, next) => next(),
  (_ctx, next) => next(),
  (_ctx, next) => next(),
];

const ASYNC: readonly Step[] = [
  async (_ctx, next) => void (await next()),
  async (_ctx, next) => void (await next()),
  async (_ctx, next) => void (await next()),
  async (_ctx, next) => void (await next()),
  async (_ctx, next) => void (await next()),
  async (_ctx, next) => void (await next()),
  async (_ctx, next) => void (await next()),
  async (_ctx, next) => void (await next()),
  async (_ctx, next) => void (await next()),
  async (_ctx, next) => void (await next()),
];

/** How many middlewares are composed. */
export const STACKS = [1, 5, 10, 50] as const;

/** The operations of the benchmarks of pipelines, by name. */
export function pipelines<Operation>(
  prepare: (stack: readonly Step[]) => Operation,
): Readonly<Record<string, () => Operation>> {
  const named = (kind: string, steps: readonly Step[]) =>
    STACKS.map((count) => {
      const stack = Array.from({ length: count }, (_, index) => steps[index % steps.length]);
      return [`compose-${kind}-${count}`, () => prepare(stack as readonly Step[])] as const;
    });
  return Object.fromEntries([...named('sync', SYNC), ...named('async', ASYNC)]);
}
