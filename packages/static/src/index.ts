export { StaticRootError } from './errors.js';
export { attachment, download, type SendFileOptions, sendFile } from './send-file.js';
export { type StaticOptions, serveStatic } from './serve-static.js';
