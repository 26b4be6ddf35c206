export { createHealth, type HealthLogger, type HealthOptions } from './create-health.js';
