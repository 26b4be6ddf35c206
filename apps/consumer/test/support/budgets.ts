/** The largest packed size of each package in kB, by folder name: 4 % above the measured size, rounded up. */
export const packedBudgets: Readonly<Record<string, number>> = {
  'aws-lambda': 11,
  client: 4,
  connect: 13,
  controllers: 65,
  core: 121,
  di: 41,
  jwt: 18,
  metrics: 10,
  middleware: 32,
  multipart: 20,
  openapi: 25,
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
    '@fairlead/aws-lambda': [3, 300],
    '@fairlead/client': [1, 1],
    '@fairlead/connect': [4, 303],
    '@fairlead/controllers': [7, 590],
    '@fairlead/controllers/extend': [6, 262],
    '@fairlead/core': [2, 281],
    '@fairlead/core/extend': [2, 89],
    '@fairlead/di': [2, 160],
    '@fairlead/jwt': [51, 437],
    '@fairlead/jwt/controllers': [9, 608],
    '@fairlead/metrics': [92, 465],
    '@fairlead/middleware': [5, 338],
    '@fairlead/multipart': [16, 371],
    '@fairlead/openapi': [4, 340],
    '@fairlead/opentelemetry': [4, 298],
    '@fairlead/pino': [33, 443],
    '@fairlead/rate-limit': [5, 303],
    '@fairlead/rate-limit/redis': [4, 293],
    '@fairlead/serve': [3, 306],
    '@fairlead/session': [7, 368],
    '@fairlead/session/redis': [4, 293],
    '@fairlead/static': [9, 537],
    '@fairlead/store': [2, 41],
    '@fairlead/testing': [11, 893],
    '@fairlead/websocket': [19, 442],
    '@fairlead/websocket/redis': [4, 292],
  };

/**
 * The most that one warm request passes through in our packages, by route of `pnpm bench calls`: source files, different
 * functions, and calls. The tests of `apps/benchmarks` count them.
 */
export const callBudgets: Readonly<
  Record<string, readonly [files: number, functions: number, calls: number]>
> = {
  get: [11, 25, 30],
  post: [13, 33, 39],
  'post-schema': [15, 47, 58],
  middlewares: [12, 25, 71],
  'class-get': [16, 36, 41],
  'class-get-guard': [16, 38, 43],
  'class-post-guard-schema': [19, 55, 67],
  'value-get': [15, 35, 40],
  'value-get-guard': [15, 37, 42],
  'value-post-guard-schema': [18, 58, 71],
};
