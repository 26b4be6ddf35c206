export {
  type CheckState,
  createHealth,
  type Degraded,
  type HealthLogger,
  type HealthOptions,
} from './create-health.js';
