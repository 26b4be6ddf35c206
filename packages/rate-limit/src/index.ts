export { networkOf } from './network-of.js';
export {
  rateLimit,
  type RateLimiter,
  type RateLimiterResult,
  type RateLimitOptions,
} from './rate-limit.js';
