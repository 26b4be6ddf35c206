export { type OpenTelemetryOptions, openTelemetry, type TraceState } from './open-telemetry.js';
export {
  findTracingProblem,
  flushTelemetry,
  type ManageTelemetryOptions,
  manageTelemetry,
  TelemetryExportError,
} from './sdk.js';
