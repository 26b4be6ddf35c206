import { setTimeout as delay } from 'node:timers/promises';

/** How long a request waits for something else, and then computes, in milliseconds. */
const WAITS = 10;
const COMPUTES = 5;

export const DONE = { done: true };

/** What each request does. */
export async function work(): Promise<typeof DONE> {
  await delay(WAITS);
  const end = performance.now() + COMPUTES;
  while (performance.now() < end);
  return DONE;
}
