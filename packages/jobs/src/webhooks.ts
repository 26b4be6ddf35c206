import { json, type Middleware, type StandardSchema, UnauthorizedError } from '@fairlead/core';
import {
  describe,
  describeFactories,
  descriptionOf,
  requireParsedBody,
  throwTogether,
} from '@fairlead/core/extend';
import {
  boolean,
  describeValue,
  findOptionProblems,
  fn,
  integer,
  type Kinds,
  kind,
  named,
  nonEmptyString,
} from '@fairlead/options';
import {
  type EnqueueOptions,
  JOB_OPTIONS,
  type JobOptions,
  type Jobs,
  ONE_DAY,
  UnrecoverableError,
} from './jobs.js';
import { explainUrl, post } from './webhook-request.js';
import { areSecrets, isSigned, signWebhook, type WebhookHeaders } from './webhook-signature.js';

export {
  createWebhookSecret,
  type SigningOptions,
  signWebhook,
  type WebhookHeaders,
} from './webhook-signature.js';

/** Where webhooks are sent to. */
export interface WebhookEndpoint {
  /** An `https:` URL. */
  readonly url: string;
  /**
   * The secrets to sign with, such as those of `createWebhookSecret()`. With several, receivers may verify any of them,
   * so that a secret can be replaced.
   */
  readonly secrets: readonly string[];
}

/** Options of {@link defineWebhooks}. Times are in milliseconds. */
export interface WebhooksOptions
  extends Pick<JobOptions<StandardSchema>, 'retries' | 'backoff' | 'maxBackoff' | 'concurrency'> {
  /**
   * Returns where the webhooks of a subscriber go now; undefined if there is no such subscriber anymore. Called for
   * each attempt, so that secrets are not stored with jobs.
   */
  readonly endpointOf: (
    subscriber: string,
  ) => WebhookEndpoint | undefined | Promise<WebhookEndpoint | undefined>;
  /** Called when the endpoint of a subscriber responds with 410, to delete it. The webhook is not sent again. */
  readonly onGone?: (subscriber: string) => unknown;
  /** The name of the kind of job. Default `webhooks`. */
  readonly name?: string;
  /** How long an endpoint may take to respond. Default 15,000. */
  readonly timeout?: number;
  /** Whether endpoints may have addresses of private networks, or of this machine. Default false. */
  readonly allowPrivate?: boolean;
  /** Whether URLs may begin with `http:`. Default false. */
  readonly allowHttp?: boolean;
}

/** What a webhook tells. */
export interface WebhookMessage {
  /** Whom to tell: the argument of {@link WebhooksOptions.endpointOf}. */
  readonly subscriber: string;
  /** The type of the event, such as `order.paid`. */
  readonly type: string;
  /** What JSON can carry. */
  readonly data: unknown;
}

/** Webhooks that are sent by jobs. */
export interface Webhooks {
  /**
   * Enqueues a webhook: within a transaction, if and only if that commits. Its body is JSON with `type`, `timestamp`
   * and `data`.
   *
   * @returns The `webhook-id`, which is the same for each attempt, so that receivers can ignore repetitions.
   */
  enqueue(message: WebhookMessage, options?: EnqueueOptions): Promise<string>;
}

/** Options of {@link webhookSignature}. */
export interface WebhookSignatureOptions {
  /** The secrets of the sender: `whsec_` and base64. Several while one is replaced. */
  readonly secrets: readonly string[];
  /** Milliseconds by which the time of the signature may differ from now. Default 300,000: five minutes. */
  readonly tolerance?: number;
}

/** Retries for about a day. */
const RETRIES = 14;
const BACKOFF = 10_000;
const MAX_BACKOFF = 21_600_000;
const TIMEOUT = 15_000;
const CONCURRENCY = 10;
const TOLERANCE = 300_000;

/** Milliseconds of a job beyond those of the request, for `endpointOf` and `onGone`. */
const LOOKUP = 30_000;

const WEBHOOKS_OPTIONS: Kinds<WebhooksOptions> = {
  endpointOf: fn,
  onGone: fn,
  name: nonEmptyString,
  timeout: integer(1, ONE_DAY - LOOKUP, 'number of milliseconds'),
  allowPrivate: boolean,
  allowHttp: boolean,
  retries: JOB_OPTIONS.retries,
  backoff: JOB_OPTIONS.backoff,
  maxBackoff: JOB_OPTIONS.maxBackoff,
  concurrency: JOB_OPTIONS.concurrency,
};
const SIGNATURE_OPTIONS: Kinds<WebhookSignatureOptions> = {
  secrets: kind(
    "an array of secrets such as those of createWebhookSecret(): 'whsec_' and the base64 of 24 to 64 bytes",
    areSecrets,
  ),
  tolerance: integer(1_000, undefined, 'number of milliseconds'),
};

/** What is stored for a webhook. The body is a text, because a signature is of its bytes. */
interface StoredWebhook {
  readonly subscriber: string;
  readonly body: string;
}

const STORED: StandardSchema<StoredWebhook> = Object.freeze({
  '~standard': {
    version: 1 as const,
    vendor: 'fairlead',
    validate(value: unknown) {
      const { subscriber, body }: Partial<Record<keyof StoredWebhook, unknown>> = Object(value);
      return typeof subscriber === 'string' && typeof body === 'string'
        ? { value: { subscriber, body } }
        : { issues: [{ message: 'it needs the texts subscriber and body' }] };
    },
  },
});

/**
 * Defines a kind of job that sends webhooks, signed as Standard Webhooks says. A webhook is sent again until its endpoint
 * responds with a status from 200 to 299, by default for about a day. No redirect is followed.
 *
 * @throws {SetupError} `INVALID_OPTION`, when an option is missing, unknown or invalid. Same as {@link Jobs.define}.
 * @see https://www.standardwebhooks.com
 */
export function defineWebhooks(jobs: Jobs, options: WebhooksOptions): Webhooks {
  const call = 'defineWebhooks()';
  const problems = findOptionProblems(call, options, WEBHOOKS_OPTIONS);
  if (Object(options).endpointOf === undefined) {
    problems.push(
      `${call} needs the option endpointOf. Pass a function that returns the URL and the secrets of a subscriber.`,
    );
  }
  throwTogether(problems);
  const {
    endpointOf,
    onGone,
    name = 'webhooks',
    timeout = TIMEOUT,
    allowPrivate = false,
    allowHttp = false,
    retries = RETRIES,
    backoff = BACKOFF,
    maxBackoff = MAX_BACKOFF,
    concurrency = CONCURRENCY,
  } = options;
  const settings = { retries, backoff, maxBackoff, concurrency, timeout: timeout + LOOKUP };
  const job = jobs.define(name, { payload: STORED, ...settings }, async (running) => {
    const { payload, id, signal } = running;
    const { subscriber, body } = payload;
    const endpoint = await endpointOf(subscriber);
    if (endpoint === undefined) {
      throw new UnrecoverableError(`There is no subscriber '${subscriber}' anymore.`);
    }
    const { url, secrets } = endpoint;
    const refuse = (problem: string): Error =>
      new UnrecoverableError(`Cannot send a webhook to '${subscriber}': ${problem}.`);
    // Neither secrets nor a URL, which may have one in its path, get into the log.
    if (!areSecrets(secrets)) throw refuse('endpointOf() returned no valid secrets');
    if (!URL.canParse(url)) throw refuse('endpointOf() returned no valid URL');
    const target = new URL(url);
    const problem = explainUrl(target, { allowPrivate, allowHttp });
    if (problem !== undefined) throw refuse(problem);
    const headers = {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'user-agent': 'Fairlead-Webhooks',
      ...signWebhook(body, { secrets, id }),
    };
    const within = AbortSignal.any([signal, AbortSignal.timeout(timeout)]);
    const status = await post(target, { headers, body, signal: within, allowPrivate }).catch(
      (cause: unknown) => {
        const reason = within.aborted ? Reflect.get(Object(within.reason), 'message') : cause;
        throw new Error(`The webhook to '${subscriber}' was not delivered: ${reason}`, { cause });
      },
    );
    if (status >= 200 && status < 300) return;
    const message = `The endpoint of '${subscriber}' responded with ${status}.`;
    if (status === 410) {
      await onGone?.(subscriber);
      throw new UnrecoverableError(message);
    }
    throw new Error(
      status >= 300 && status < 400 ? `${message} Redirects are not followed.` : message,
    );
  });
  return Object.freeze({
    async enqueue({ subscriber, type, data }: WebhookMessage, enqueueOptions?: EnqueueOptions) {
      if (typeof type !== 'string' || type === '') {
        throw new TypeError(
          `A webhook cannot have ${describeValue(type)} as its type. Pass a name such as 'order.paid'.`,
        );
      }
      const body = JSON.stringify({ type, timestamp: new Date(), data });
      return job.enqueue({ subscriber, body }, enqueueOptions);
    },
  });
}

/**
 * Creates middleware that verifies the signature of webhooks, as Standard Webhooks says. Other requests get a 401
 * `INVALID_SIGNATURE`. A parser of JSON before it keeps the bytes; without one, it parses JSON as `json()` does.
 *
 * A sender may repeat a webhook: store its `webhook-id` with its effect, and ignore one that was stored.
 *
 * @throws {SetupError} `INVALID_OPTION`, when an option is missing, unknown or invalid.
 */
export function webhookSignature(options: WebhookSignatureOptions): Middleware {
  const call = 'webhookSignature()';
  const problems = findOptionProblems(call, options, SIGNATURE_OPTIONS);
  if (Object(options).secrets === undefined) {
    problems.push(`${call} needs the option secrets. Pass an array with the secret of the sender.`);
  }
  throwTogether(problems);
  const { secrets, tolerance = TOLERANCE } = options;
  const parse = json({ rawBody: true });
  const verify: Middleware = async (ctx, next) => {
    const headers: WebhookHeaders = {
      'webhook-id': ctx.get('Webhook-Id') ?? '',
      'webhook-timestamp': ctx.get('Webhook-Timestamp') ?? '',
      'webhook-signature': ctx.get('Webhook-Signature') ?? '',
    };
    const age = Math.abs(Date.now() - 1_000 * Number(headers['webhook-timestamp']));
    // An attacker must not make it read a body.
    if (!(age <= tolerance)) throw invalidSignature();
    await parse(ctx, () => undefined);
    await requireParsedBody(ctx);
    if (!isSigned(secrets, headers, ctx.rawBody ?? '')) throw invalidSignature();
    return next();
  };
  return describe(named('webhookSignature', verify), {
    role: 'middleware',
    name: call,
    security: {
      name: 'webhookSignature',
      scheme: { type: 'apiKey', in: 'header', name: 'webhook-signature' },
    },
    sends: { responses: { 401: { description: 'The signature of the webhook is not valid.' } } },
    enter: ({ before }) => {
      for (const one of before) descriptionOf(one)?.reads?.keepBytes?.();
      return undefined;
    },
  });
}

describeFactories(webhookSignature);

function invalidSignature(): UnauthorizedError {
  return new UnauthorizedError('The signature of the webhook is not valid.', {
    code: 'INVALID_SIGNATURE',
  });
}
