import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const PREFIX = 'whsec_';

/** The headers of a webhook. @see https://github.com/standard-webhooks/standard-webhooks */
export interface WebhookHeaders {
  readonly 'webhook-id': string;
  /** Seconds since 1970. */
  readonly 'webhook-timestamp': string;
  /** A signature for each secret, separated by spaces: `v1,` and base64. */
  readonly 'webhook-signature': string;
}

/** Creates a secret for signatures of webhooks. */
export function createWebhookSecret(): string {
  return PREFIX + randomBytes(32).toString('base64');
}

/** Whether a value is an array of one or more secrets. */
export function areSecrets(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every(isSecret);
}

function isSecret(value: unknown): boolean {
  if (typeof value !== 'string' || !/^whsec_[A-Za-z\d+/]+={0,2}$/.test(value)) return false;
  const { length } = keyOf(value);
  return length >= 24 && length <= 64;
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(PREFIX.length), 'base64');
}

/** Options of {@link signWebhook}. */
export interface SigningOptions {
  readonly secrets: readonly string[];
  /** Identifies the webhook: the same for each attempt to send it. */
  readonly id: string;
  /** The time of the attempt. Default: now. */
  readonly at?: Date;
}

/** Returns the headers that sign the body of a webhook, such as to test `webhookSignature()`. */
export function signWebhook(
  body: string | Uint8Array,
  { secrets, id, at = new Date() }: SigningOptions,
): WebhookHeaders {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': sign(secrets, id, timestamp, body),
  };
}

function sign(
  secrets: readonly string[],
  id: string,
  timestamp: string,
  body: string | Uint8Array,
): string {
  const signatures = secrets.map((secret) => {
    const hmac = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`);
    return `v1,${hmac.update(body).digest('base64')}`;
  });
  return signatures.join(' ');
}

/** Whether one of the signatures of a webhook was made with one of the secrets. */
export function isSigned(
  secrets: readonly string[],
  headers: WebhookHeaders,
  body: string | Uint8Array,
): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp } = headers;
  const received = headers['webhook-signature'].split(' ').map((one) => Buffer.from(one));
  const expected = sign(secrets, id, timestamp, body)
    .split(' ')
    .map((one) => Buffer.from(one));
  return received.some((one) =>
    expected.some((other) => one.length === other.length && timingSafeEqual(one, other)),
  );
}
