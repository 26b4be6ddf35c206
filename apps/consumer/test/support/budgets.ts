/**
 * The largest packed size of each package in kB, by folder name. The actual sizes were 5 % below their budgets when this
 * table was written.
 */
export const packedBudgets: Readonly<Record<string, number>> = {
  'aws-lambda': 30,
  compression: 27,
  connect: 34,
  controllers: 238,
  cookies: 23,
  core: 376,
  csrf: 25,
  di: 135,
  health: 21,
  jwt: 53,
  metrics: 25,
  multipart: 55,
  openapi: 85,
  opentelemetry: 28,
  pino: 25,
  'rate-limit': 42,
  serve: 33,
  session: 61,
  static: 46,
  store: 75,
  testing: 46,
  websocket: 42,
};

/** The most that an import of each module loads, with its dependencies: files, and their size in kB. */
export const importBudgets: Readonly<Record<string, readonly [files: number, kilobytes: number]>> =
  {
    '@fairlead/aws-lambda': [2, 245],
    '@fairlead/compression': [2, 244],
    '@fairlead/connect': [2, 258],
    '@fairlead/controllers': [4, 529],
    '@fairlead/cookies': [3, 255],
    '@fairlead/core': [1, 229],
    '@fairlead/csrf': [4, 269],
    '@fairlead/di': [2, 165],
    '@fairlead/health': [2, 243],
    '@fairlead/jwt': [49, 384],
    '@fairlead/jwt/controllers': [6, 542],
    '@fairlead/metrics': [90, 414],
    '@fairlead/multipart': [14, 316],
    '@fairlead/openapi': [2, 285],
    '@fairlead/opentelemetry': [2, 250],
    '@fairlead/pino': [31, 393],
    '@fairlead/rate-limit': [3, 248],
    '@fairlead/rate-limit/redis': [3, 238],
    '@fairlead/serve': [2, 255],
    '@fairlead/session': [5, 288],
    '@fairlead/session/redis': [3, 242],
    '@fairlead/static': [7, 488],
    '@fairlead/store': [2, 42],
    '@fairlead/testing': [7, 841],
    '@fairlead/websocket': [17, 392],
    '@fairlead/websocket/redis': [3, 237],
  };
