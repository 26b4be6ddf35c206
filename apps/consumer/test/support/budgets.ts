/** The largest packed size of each package in kB, by folder name: 4 % above the measured size, rounded up. */
export const packedBudgets: Readonly<Record<string, number>> = {
  'aws-lambda': 11,
  client: 4,
  connect: 13,
  controllers: 65,
  core: 116,
  di: 41,
  jwt: 18,
  metrics: 10,
  middleware: 40,
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
    '@fairlead/aws-lambda': [3, 277],
    '@fairlead/client': [1, 1],
    '@fairlead/connect': [4, 280],
    '@fairlead/controllers': [7, 576],
    '@fairlead/controllers/extend': [6, 262],
    '@fairlead/core': [2, 260],
    '@fairlead/core/extend': [2, 89],
    '@fairlead/di': [2, 160],
    '@fairlead/jwt': [51, 415],
    '@fairlead/jwt/controllers': [9, 590],
    '@fairlead/metrics': [92, 445],
    '@fairlead/middleware': [5, 338],
    '@fairlead/multipart': [16, 349],
    '@fairlead/openapi': [4, 318],
    '@fairlead/opentelemetry': [4, 275],
    '@fairlead/pino': [33, 422],
    '@fairlead/rate-limit': [5, 280],
    '@fairlead/rate-limit/redis': [4, 269],
    '@fairlead/serve': [3, 283],
    '@fairlead/session': [7, 368],
    '@fairlead/session/redis': [4, 270],
    '@fairlead/static': [9, 516],
    '@fairlead/store': [2, 41],
    '@fairlead/testing': [11, 880],
    '@fairlead/websocket': [19, 421],
    '@fairlead/websocket/redis': [4, 268],
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
  'post-schema': [15, 44, 55],
  middlewares: [12, 25, 71],
  'class-get': [16, 35, 40],
  'class-get-guard': [16, 37, 42],
  'class-post-guard-schema': [19, 53, 65],
  'value-get': [15, 34, 39],
  'value-get-guard': [15, 36, 41],
  'value-post-guard-schema': [18, 55, 68],
};
