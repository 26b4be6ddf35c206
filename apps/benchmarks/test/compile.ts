import { compileSources } from '../src/compile.js';

/** Compiles the programs that the tests start, once for all test files. */
export default function setup(): Promise<void> {
  return compileSources();
}
