export {
  type ConfigClass,
  ConfigError,
  type ConfigInput,
  type ConfigOptions,
  type ConfigSchema,
  type ConfigValues,
  defineConfig,
} from './config/define-config.js';
export type { Variable } from './config/read-variables.js';
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
