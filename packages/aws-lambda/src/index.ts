export {
  createLambdaHandler,
  createStreamingHandler,
  type LambdaHandler,
  type LambdaOptions,
  type StreamingLambdaHandler,
} from './handler.js';
export {
  currentInvocation,
  type LambdaContext,
  type LambdaInvocation,
} from './invocation.js';
export { LambdaEventError } from './request.js';
export type { LambdaResult } from './result.js';
