import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Application, SetupError } from '@fairlead/core';
import { throwTogether } from '@fairlead/core/extend';
import { describeValue, findOptionProblems, type Kinds, kind } from '@fairlead/options';
import { invocations, type LambdaContext } from './invocation.js';
import { type HeaderForm, readRequest } from './request.js';
import {
  describeHead,
  describeResponse,
  type LambdaResult,
  type LambdaResultHead,
} from './result.js';

/** Options of {@link createLambdaHandler} and {@link createStreamingHandler}. */
export interface LambdaOptions {
  /**
   * Path prefix that clients use before the paths of the application, such as `/api`: the base path of a
   * custom domain, or the path in a load balancer rule. The handler removes it. Default: none.
   */
  readonly basePath?: string;
}

const OPTIONS: Kinds<LambdaOptions> = {
  basePath: kind(
    "a path such as '/api', without a trailing slash",
    (value) => typeof value === 'string' && /^\/[^?#]*[^/?#]$/.test(value),
  ),
};

/** Handles the events of a Lambda function. */
export type LambdaHandler = (event: object, context: LambdaContext) => Promise<LambdaResult>;

/** Handles the events of a Lambda function. Lambda's runtime calls it with a stream. */
export type StreamingLambdaHandler = (
  event: object,
  stream: Writable,
  context: LambdaContext,
) => Promise<void>;

/**
 * Creates a Lambda handler that passes each request to an application and returns the whole response. Seals
 * the application, so mistakes in its setup make the function fail at startup.
 *
 * Accepts events from API Gateway (REST APIs and HTTP APIs), function URLs and Application Load Balancers.
 *
 * @param app - The application.
 * @returns The handler. It rejects with a {@link LambdaEventError} for an event that is not an HTTP request,
 *   and with the error of a response body that fails.
 * @throws {SetupError} `INVALID_OPTION`, when an argument is invalid.
 * @throws The errors of `app.seal()`.
 */
export function createLambdaHandler(app: Application, options: LambdaOptions = {}): LambdaHandler {
  const respond = createRespond('createLambdaHandler()', app, options);
  return async (event, context) => {
    const { response, form } = await respond(event, context);
    return describeResponse(response, form);
  };
}

/**
 * Creates a Lambda handler that streams responses. Use it for a function URL with the invoke mode
 * `RESPONSE_STREAM`, or a REST API with the response transfer mode `STREAM`.
 *
 * @param app - Same as for {@link createLambdaHandler}.
 * @returns The handler. It rejects for the same reasons as the handler from {@link createLambdaHandler}.
 * @throws {SetupError} `LAMBDA_STREAMING_UNAVAILABLE`, outside of Lambda's Node.js runtime;
 *   `INVALID_OPTION`, when an argument is invalid.
 * @throws The errors of `app.seal()`.
 */
export function createStreamingHandler(
  app: Application,
  options: LambdaOptions = {},
): StreamingLambdaHandler {
  const respond = createRespond('createStreamingHandler()', app, options);
  const { streamifyResponse, HttpResponseStream } = findRuntime();
  return streamifyResponse(async (event, stream, context) => {
    const { response, form } = await respond(event, context);
    const body = HttpResponseStream.from(stream, describeHead(response, form));
    // The runtime sends the head with the first write, even if the body is empty.
    body.write('');
    await pipeline(response.body ?? [], body);
  });
}

/** Passes an event to an application. */
type Respond = (
  event: object,
  context: LambdaContext,
) => Promise<{ readonly response: Response; readonly form: HeaderForm }>;

function createRespond(call: string, app: Application, options: LambdaOptions): Respond {
  const problems = [
    ...findApplicationProblems(call, app),
    ...findOptionProblems(call, options, OPTIONS),
  ];
  throwTogether(problems);
  const { basePath = '' } = options;
  app.seal();
  return async (event, context) => {
    const { request, target, ip, form } = readRequest(event, basePath);
    const response = await invocations.run({ event, context }, () =>
      app.fetch(request, { ip, target }),
    );
    return { response, form };
  };
}

function findApplicationProblems(call: string, app: unknown): readonly string[] {
  const { seal, fetch, then }: Partial<Application & Promise<unknown>> = Object(app);
  if (typeof seal === 'function' && typeof fetch === 'function') return [];
  const fix = typeof then === 'function' ? 'Await it.' : 'Pass an application from createApp().';
  return [`${call} cannot use ${describeValue(app)} as app. ${fix}`];
}

/** The global `awslambda` of Lambda's Node.js runtime. */
interface StreamingRuntime {
  streamifyResponse(handler: StreamingLambdaHandler): StreamingLambdaHandler;
  readonly HttpResponseStream: { from(stream: Writable, head: LambdaResultHead): Writable };
}

/** @throws {SetupError} `LAMBDA_STREAMING_UNAVAILABLE` */
function findRuntime(): StreamingRuntime {
  const awslambda: StreamingRuntime | undefined = Reflect.get(globalThis as object, 'awslambda');
  // The AWS SDK sets the global to an object without the functions of the runtime.
  if (typeof awslambda?.streamifyResponse === 'function') return awslambda;
  throw new SetupError(
    'LAMBDA_STREAMING_UNAVAILABLE',
    "createStreamingHandler() needs the global 'awslambda' of Lambda's Node.js runtime. Call listen() outside of Lambda, and use createLambdaHandler() in a custom runtime.",
  );
}
