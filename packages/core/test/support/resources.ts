import { existsSync, readdirSync } from 'node:fs';
import { collectGarbage } from '@fairlead/test-support/collect-garbage';

const DESCRIPTORS = '/proc/self/fd';

/** Whether this system tells what a process holds open. */
const countsDescriptors = existsSync(DESCRIPTORS);

/** How many descriptors this process holds open; 0 where the system does not tell. */
export function openDescriptors(): number {
  return countsDescriptors ? readdirSync(DESCRIPTORS).length : 0;
}

/** Bytes that this process holds, heap and buffers, after a collection of garbage. */
export function heldMemory(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
