export { StaticRootError } from './errors.js';
export { type StaticOptions, serveStatic } from './serve-static.js';
