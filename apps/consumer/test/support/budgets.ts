/** The largest packed size of each package in kB, by folder name: 4 % above the measured size, rounded up. */
export const packedBudgets: Readonly<Record<string, number>> = {
  'aws-lambda': 12,
  client: 11,
  connect: 14,
  controllers: 70,
  core: 113,
  di: 41,
  jwt: 18,
  mcp: 16,
  metrics: 10,
  middleware: 40,
  multipart: 20,
  openapi: 38,
  opentelemetry: 11,
  pino: 10,
  'rate-limit': 17,
  serve: 15,
  session: 21,
  static: 17,
  store: 26,
  testing: 19,
  websocket: 16,
};

/** The most that an import of each module loads, with its dependencies: files, and their size in kB. */
export const importBudgets: Readonly<Record<string, readonly [files: number, kilobytes: number]>> =
  {
    '@fairlead/aws-lambda': [4, 264],
    '@fairlead/client': [4, 33],
    '@fairlead/connect': [4, 269],
    '@fairlead/controllers': [7, 566],
    '@fairlead/controllers/extend': [6, 278],
    '@fairlead/core': [2, 250],
    '@fairlead/core/extend': [2, 101],
    '@fairlead/di': [2, 161],
    '@fairlead/jwt': [51, 405],
    '@fairlead/jwt/controllers': [9, 580],
    '@fairlead/mcp': [112, 2143],
    '@fairlead/metrics': [92, 435],
    '@fairlead/middleware': [5, 327],
    '@fairlead/multipart': [16, 339],
    '@fairlead/openapi': [4, 353],
    '@fairlead/opentelemetry': [4, 265],
    '@fairlead/pino': [33, 411],
    '@fairlead/rate-limit': [5, 270],
    '@fairlead/rate-limit/redis': [4, 259],
    '@fairlead/serve': [4, 270],
    '@fairlead/session': [7, 361],
    '@fairlead/session/redis': [4, 260],
    '@fairlead/static': [9, 506],
    '@fairlead/store': [2, 42],
    '@fairlead/testing': [11, 870],
    '@fairlead/websocket': [19, 411],
    '@fairlead/websocket/redis': [4, 258],
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
  'post-schema': [15, 43, 53],
  middlewares: [12, 25, 71],
  'class-get': [16, 35, 40],
  'class-get-guard': [16, 37, 42],
  'class-post-guard-schema': [19, 53, 65],
  'value-get': [15, 33, 38],
  'value-get-guard': [15, 35, 40],
  'value-post-guard-schema': [18, 53, 65],
};
