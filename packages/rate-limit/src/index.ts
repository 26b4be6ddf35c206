export { networkOf } from './network-of.js';
export {
  type RateLimiter,
  type RateLimiterResult,
  type RateLimitOptions,
  rateLimit,
} from './rate-limit.js';
