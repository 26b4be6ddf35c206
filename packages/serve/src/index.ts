export {
  describeStartError,
  type Lifecycle,
  type ProcessLogger,
  type ProcessOptions,
  runProcess,
} from './run-process.js';
export {
  type Applications,
  type Served,
  type ServeOptions,
  type Service,
  serve,
} from './serve.js';
