export { createHealth, type HealthOptions } from './create-health.js';
