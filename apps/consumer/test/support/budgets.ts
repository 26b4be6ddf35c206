/** The largest packed size of each package in kB, by folder name: 4 % above the measured size, rounded up. */
export const packedBudgets: Readonly<Record<string, number>> = {
  'aws-lambda': 13,
  client: 13,
  connect: 14,
  controllers: 76,
  core: 145,
  di: 42,
  jwt: 19,
  mcp: 17,
  metrics: 11,
  middleware: 41,
  multipart: 21,
  openapi: 37,
  opentelemetry: 12,
  pino: 11,
  'rate-limit': 17,
  serve: 15,
  session: 22,
  static: 17,
  store: 27,
  testing: 19,
  websocket: 17,
};

/** The most that an import of each module loads, with its dependencies: files, and their size in kB. */
export const importBudgets: Readonly<Record<string, readonly [files: number, kilobytes: number]>> =
  {
    '@fairlead/aws-lambda': [4, 362],
    '@fairlead/client': [4, 36],
    '@fairlead/connect': [4, 367],
    '@fairlead/controllers': [7, 689],
    '@fairlead/controllers/extend': [6, 373],
    '@fairlead/core': [2, 345],
    '@fairlead/core/extend': [2, 184],
    '@fairlead/di': [2, 169],
    '@fairlead/jwt': [51, 497],
    '@fairlead/jwt/controllers': [9, 703],
    '@fairlead/mcp': [112, 2229],
    '@fairlead/metrics': [92, 525],
    '@fairlead/middleware': [5, 427],
    '@fairlead/multipart': [16, 433],
    '@fairlead/openapi': [4, 436],
    '@fairlead/opentelemetry': [4, 359],
    '@fairlead/pino': [33, 501],
    '@fairlead/rate-limit': [5, 367],
    '@fairlead/rate-limit/redis': [4, 195],
    '@fairlead/serve': [4, 372],
    '@fairlead/session': [7, 460],
    '@fairlead/session/redis': [4, 193],
    '@fairlead/static': [9, 599],
    '@fairlead/store': [2, 44],
    '@fairlead/testing': [11, 987],
    '@fairlead/websocket': [19, 502],
    '@fairlead/websocket/redis': [4, 192],
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
  'post-schema': [16, 44, 54],
  middlewares: [12, 25, 71],
  'class-get': [16, 35, 40],
  'class-get-guard': [16, 37, 42],
  'class-post-guard-schema': [20, 54, 66],
  'value-get': [15, 33, 38],
  'value-get-guard': [15, 35, 40],
  'value-post-guard-schema': [19, 54, 66],
};
