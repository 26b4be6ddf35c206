import { compileSources } from '../src/compile.js';

/** Compiles what the tests start, once for all files. */
export default function setup(): Promise<void> {
  return compileSources();
}
