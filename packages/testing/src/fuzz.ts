export {
  FuzzError,
  type FuzzedRequest,
  type FuzzedRoute,
  type FuzzFailure,
  type FuzzOptions,
  type FuzzReport,
  fuzz,
} from './fuzz/fuzz.js';
export type { FuzzRule } from './fuzz/violations.js';
