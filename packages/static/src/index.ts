export { StaticRootError } from './errors.js';
export { download, type SendFileOptions, sendFile } from './send-file.js';
export { type StaticOptions, serveStatic } from './serve-static.js';
