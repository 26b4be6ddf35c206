/** A middleware for either library. */
export type Step = (ctx: unknown, next: () => unknown) => unknown;

// Ten separate functions: V8 would optimize calls of a single one better than those of a real stack.
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

/** The numbers of middlewares to compose. */
export const STACKS = [1, 5, 10, 50] as const;

/** Creates the operations of the pipeline benchmarks. */
export function composeOperations<Operation>(
  prepare: (stack: readonly Step[]) => Operation,
): Readonly<Record<string, () => Operation>> {
  const named = (kind: string, steps: readonly Step[]) =>
    STACKS.map((count) => {
      const stack = Array.from({ length: count }, (_, index) => steps[index % steps.length]);
      return [`compose-${kind}-${count}`, () => prepare(stack as readonly Step[])] as const;
    });
  return Object.fromEntries([...named('sync', SYNC), ...named('async', ASYNC)]);
}
