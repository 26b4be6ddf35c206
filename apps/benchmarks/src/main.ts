import { pathToFileURL } from 'node:url';
import { compileSources, OUTPUT } from './compile.js';

// Loaders rewrite private members into calls, which would be timed, too; so all runs compiled.
await compileSources();
await import(pathToFileURL(`${OUTPUT}/cli.js`).href);
