/** The largest packed size of each package in kB, by folder name: 4 % above the measured size, rounded up. */
export const packedBudgets: Readonly<Record<string, number>> = {
  'aws-lambda': 13,
  client: 16,
  connect: 19,
  controllers: 78,
  core: 161,
  di: 43,
  jobs: 4,
  jwt: 22,
  mcp: 20,
  metrics: 11,
  middleware: 46,
  multipart: 21,
  openapi: 39,
  opentelemetry: 12,
  pino: 11,
  'rate-limit': 17,
  serve: 23,
  session: 22,
  static: 18,
  store: 27,
  testing: 52,
  transactions: 19,
  websocket: 17,
};

/** The most that an import of each module loads, with its dependencies: files, and their size in kB. */
export const importBudgets: Readonly<Record<string, readonly [files: number, kilobytes: number]>> =
  {
    '@fairlead/aws-lambda': [4, 421],
    '@fairlead/client': [4, 40],
    '@fairlead/connect': [4, 441],
    '@fairlead/controllers': [7, 781],
    '@fairlead/controllers/extend': [6, 456],
    '@fairlead/core': [2, 407],
    '@fairlead/core/extend': [2, 256],
    '@fairlead/core/versions': [1, 5],
    '@fairlead/di': [2, 177],
    '@fairlead/jobs': [1, 1],
    '@fairlead/jwt': [51, 572],
    '@fairlead/jwt/controllers': [9, 797],
    '@fairlead/mcp': [112, 2310],
    '@fairlead/metrics': [92, 588],
    '@fairlead/middleware': [5, 502],
    '@fairlead/middleware/overload': [4, 424],
    '@fairlead/multipart': [16, 496],
    '@fairlead/openapi': [4, 506],
    '@fairlead/opentelemetry': [4, 429],
    '@fairlead/pino': [33, 567],
    '@fairlead/rate-limit': [5, 428],
    '@fairlead/rate-limit/redis': [4, 264],
    '@fairlead/serve': [4, 453],
    '@fairlead/session': [7, 543],
    '@fairlead/session/redis': [4, 262],
    '@fairlead/static': [9, 663],
    '@fairlead/store': [1, 55],
    '@fairlead/testing': [11, 1080],
    '@fairlead/testing/fuzz': [14, 1025],
    '@fairlead/transactions': [4, 431],
    '@fairlead/transactions/drizzle': [70, 111],
    '@fairlead/transactions/kysely': [256, 692],
    '@fairlead/transactions/pg': [1, 3],
    '@fairlead/transactions/prisma': [1, 1],
    '@fairlead/transactions/store': [1, 3],
    '@fairlead/websocket': [19, 565],
    '@fairlead/websocket/redis': [4, 264],
  };

/**
 * The most that one warm request passes through in our packages, by route of `pnpm bench calls`: source files, different
 * functions, and calls. The tests of `apps/benchmarks` count them.
 */
export const callBudgets: Readonly<
  Record<string, readonly [files: number, functions: number, calls: number]>
> = {
  get: [14, 23, 28],
  post: [15, 31, 37],
  'post-schema': [19, 41, 51],
  middlewares: [14, 23, 69],
  'class-get': [18, 32, 38],
  'class-get-guard': [19, 34, 40],
  'class-post-guard-schema': [22, 49, 60],
  'value-get': [17, 30, 36],
  'value-get-guard': [18, 32, 38],
  'value-post-guard-schema': [22, 50, 61],
};
