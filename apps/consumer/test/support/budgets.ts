/** The largest packed size of each package in kB, by folder name: 4 % above the measured size, rounded up. */
export const packedBudgets: Readonly<Record<string, number>> = {
  'aws-lambda': 11,
  connect: 14,
  controllers: 66,
  core: 122,
  di: 41,
  jwt: 18,
  metrics: 10,
  middleware: 28,
  multipart: 20,
  openapi: 26,
  opentelemetry: 11,
  pino: 10,
  'rate-limit': 16,
  serve: 14,
  session: 21,
  static: 16,
  store: 26,
  testing: 18,
  websocket: 16,
};

/** The most that an import of each module loads, with its dependencies: files, and their size in kB. */
export const importBudgets: Readonly<Record<string, readonly [files: number, kilobytes: number]>> =
  {
    '@fairlead/aws-lambda': [3, 298],
    '@fairlead/connect': [4, 301],
    '@fairlead/controllers': [7, 597],
    '@fairlead/controllers/extend': [6, 262],
    '@fairlead/core': [2, 282],
    '@fairlead/core/extend': [2, 89],
    '@fairlead/di': [2, 163],
    '@fairlead/jwt': [51, 437],
    '@fairlead/jwt/controllers': [9, 612],
    '@fairlead/metrics': [92, 465],
    '@fairlead/middleware': [5, 338],
    '@fairlead/multipart': [16, 371],
    '@fairlead/openapi': [4, 339],
    '@fairlead/opentelemetry': [4, 296],
    '@fairlead/pino': [33, 443],
    '@fairlead/rate-limit': [5, 302],
    '@fairlead/rate-limit/redis': [4, 292],
    '@fairlead/serve': [3, 303],
    '@fairlead/session': [7, 372],
    '@fairlead/session/redis': [4, 292],
    '@fairlead/static': [9, 537],
    '@fairlead/store': [2, 41],
    '@fairlead/testing': [11, 901],
    '@fairlead/websocket': [19, 442],
    '@fairlead/websocket/redis': [4, 290],
  };

/**
 * The most that one warm request passes through in our packages, by route of `pnpm bench calls`: source files, different
 * functions, and calls. The tests of `apps/benchmarks` count them.
 */
export const callBudgets: Readonly<
  Record<string, readonly [files: number, functions: number, calls: number]>
> = {
  get: [11, 26, 31],
  post: [14, 34, 40],
  'post-schema': [16, 48, 59],
  middlewares: [12, 26, 72],
  'class-get': [16, 37, 42],
  'class-get-guard': [16, 39, 44],
  'class-post-guard-schema': [21, 57, 70],
};
