export { type OpenTelemetryOptions, openTelemetry, type TraceState } from './open-telemetry.js';
export { findTracingProblem, flushTelemetry, TelemetryExportError } from './sdk.js';
