export {
  createMetrics,
  type Metrics,
  type MetricsOptions,
  type NumberMetric,
} from './create-metrics.js';
