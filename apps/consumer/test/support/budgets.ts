/** The largest packed size of each package in kB, by folder name: 4 % above the measured size, rounded up. */
export const packedBudgets: Readonly<Record<string, number>> = {
  'aws-lambda': 13,
  client: 11,
  connect: 14,
  controllers: 72,
  core: 121,
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
    '@fairlead/aws-lambda': [4, 282],
    '@fairlead/client': [4, 33],
    '@fairlead/connect': [4, 284],
    '@fairlead/controllers': [7, 586],
    '@fairlead/controllers/extend': [6, 304],
    '@fairlead/core': [2, 261],
    '@fairlead/core/extend': [2, 122],
    '@fairlead/di': [2, 164],
    '@fairlead/jwt': [51, 417],
    '@fairlead/jwt/controllers': [9, 603],
    '@fairlead/mcp': [112, 2148],
    '@fairlead/metrics': [92, 446],
    '@fairlead/middleware': [5, 341],
    '@fairlead/multipart': [16, 353],
    '@fairlead/openapi': [4, 347],
    '@fairlead/opentelemetry': [4, 279],
    '@fairlead/pino': [33, 423],
    '@fairlead/rate-limit': [5, 285],
    '@fairlead/rate-limit/redis': [4, 135],
    '@fairlead/serve': [4, 287],
    '@fairlead/session': [7, 377],
    '@fairlead/session/redis': [4, 135],
    '@fairlead/static': [9, 517],
    '@fairlead/store': [2, 44],
    '@fairlead/testing': [11, 889],
    '@fairlead/websocket': [19, 423],
    '@fairlead/websocket/redis': [4, 133],
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
