import { pathToFileURL } from 'node:url';
import { compileSources, OUTPUT } from './compile.js';

// A loader rewrites private members into function calls, which would slow down what is measured.
await compileSources();
await import(pathToFileURL(`${OUTPUT}/cli.js`).href);
