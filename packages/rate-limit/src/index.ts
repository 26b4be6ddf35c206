export { networkOf } from './network-of.js';
export {
  type RateLimiter,
  type RateLimiterResult,
  type RateLimitOptions,
  type RateLimitState,
  rateLimit,
  rateLimitGuard,
  rateLimitsOf,
} from './rate-limit.js';
export type { RateLimitCount, RateLimitStore } from './store.js';
