export {
  type Lifecycle,
  type ProcessLogger,
  type ProcessOptions,
  runProcess,
} from './run-process.js';
export { type ServeOptions, type Service, serve } from './serve.js';
