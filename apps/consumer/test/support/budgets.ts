/** The largest packed size of each package in kB, by folder name: 4 % above the measured size, rounded up. */
export const packedBudgets: Readonly<Record<string, number>> = {
  'aws-lambda': 13,
  client: 14,
  connect: 19,
  controllers: 76,
  core: 154,
  di: 43,
  jwt: 19,
  mcp: 19,
  metrics: 11,
  middleware: 46,
  multipart: 21,
  openapi: 38,
  opentelemetry: 12,
  pino: 11,
  'rate-limit': 17,
  serve: 16,
  session: 22,
  static: 17,
  store: 27,
  testing: 19,
  websocket: 17,
};

/** The most that an import of each module loads, with its dependencies: files, and their size in kB. */
export const importBudgets: Readonly<Record<string, readonly [files: number, kilobytes: number]>> =
  {
    '@fairlead/aws-lambda': [4, 410],
    '@fairlead/client': [4, 38],
    '@fairlead/connect': [4, 434],
    '@fairlead/controllers': [7, 761],
    '@fairlead/controllers/extend': [6, 462],
    '@fairlead/core': [2, 393],
    '@fairlead/core/extend': [2, 249],
    '@fairlead/di': [2, 176],
    '@fairlead/jwt': [51, 548],
    '@fairlead/jwt/controllers': [9, 776],
    '@fairlead/mcp': [112, 2293],
    '@fairlead/metrics': [92, 576],
    '@fairlead/middleware': [5, 482],
    '@fairlead/middleware/overload': [4, 416],
    '@fairlead/multipart': [16, 485],
    '@fairlead/openapi': [4, 491],
    '@fairlead/opentelemetry': [4, 408],
    '@fairlead/pino': [33, 550],
    '@fairlead/rate-limit': [5, 417],
    '@fairlead/rate-limit/redis': [4, 260],
    '@fairlead/serve': [4, 422],
    '@fairlead/session': [7, 518],
    '@fairlead/session/redis': [4, 258],
    '@fairlead/static': [9, 652],
    '@fairlead/store': [2, 45],
    '@fairlead/testing': [11, 1062],
    '@fairlead/websocket': [19, 554],
    '@fairlead/websocket/redis': [4, 260],
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
