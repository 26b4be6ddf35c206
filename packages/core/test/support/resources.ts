import { existsSync, readdirSync } from 'node:fs';
import { collectGarbage } from '@fairlead/test-support/collect-garbage';

const DESCRIPTORS = '/proc/self/fd';

/** Whether the system reports the open descriptors of a process. */
const countsDescriptors = existsSync(DESCRIPTORS);

/** Returns the number of open descriptors of this process; 0 if the system does not report it. */
export function openDescriptors(): number {
  return countsDescriptors ? readdirSync(DESCRIPTORS).length : 0;
}

/** Returns the bytes of this process's heap and buffers after garbage collection. */
export function heldMemory(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
