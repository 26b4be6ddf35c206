/**
 * The largest packed size of each package in kB, by folder name. The actual sizes were 1 % below their budgets when this
 * table was written.
 */
export const packedBudgets: Readonly<Record<string, number>> = {
  'aws-lambda': 29,
  compression: 30,
  connect: 35,
  controllers: 242,
  cookies: 29,
  core: 438,
  csrf: 27,
  di: 137,
  health: 22,
  jwt: 54,
  metrics: 26,
  multipart: 57,
  openapi: 85,
  opentelemetry: 29,
  pino: 27,
  'rate-limit': 44,
  serve: 37,
  session: 62,
  static: 49,
  store: 75,
  testing: 48,
  websocket: 44,
};

/** The most that an import of each module loads, with its dependencies: files, and their size in kB. */
export const importBudgets: Readonly<Record<string, readonly [files: number, kilobytes: number]>> =
  {
    '@fairlead/aws-lambda': [2, 299],
    '@fairlead/compression': [2, 297],
    '@fairlead/connect': [2, 301],
    '@fairlead/controllers': [4, 597],
    '@fairlead/cookies': [3, 309],
    '@fairlead/core': [1, 282],
    '@fairlead/csrf': [4, 324],
    '@fairlead/di': [2, 163],
    '@fairlead/health': [2, 295],
    '@fairlead/jwt': [49, 437],
    '@fairlead/jwt/controllers': [6, 612],
    '@fairlead/metrics': [90, 465],
    '@fairlead/multipart': [14, 371],
    '@fairlead/openapi': [2, 339],
    '@fairlead/opentelemetry': [2, 296],
    '@fairlead/pino': [31, 443],
    '@fairlead/rate-limit': [3, 302],
    '@fairlead/rate-limit/redis': [3, 292],
    '@fairlead/serve': [2, 303],
    '@fairlead/session': [5, 343],
    '@fairlead/session/redis': [3, 292],
    '@fairlead/static': [7, 537],
    '@fairlead/store': [2, 41],
    '@fairlead/testing': [7, 901],
    '@fairlead/websocket': [17, 442],
    '@fairlead/websocket/redis': [3, 290],
  };

/**
 * The most that one warm request passes through in our packages, by route of `pnpm bench calls`: source files, different
 * functions, and calls. The tests of `apps/benchmarks` count them.
 */
export const callBudgets: Readonly<
  Record<string, readonly [files: number, functions: number, calls: number]>
> = {
  get: [14, 77, 117],
  post: [16, 91, 127],
  'post-schema': [18, 107, 156],
  middlewares: [14, 75, 159],
  'class-get': [20, 97, 145],
  'class-get-guard': [20, 99, 145],
  'class-post-guard-schema': [24, 125, 177],
};
