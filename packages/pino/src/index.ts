export { createLogger, type LoggerOptions } from './create-logger.js';
export { type DescribeErrorOptions, describeError } from './describe-error.js';
export { logErrors, logRequests, type RequestLogOptions } from './request-log.js';
