import { throwTogether } from '@fairlead/core/extend';
import {
  captureCaller,
  findOptionProblems,
  formatLocation,
  hasMethods,
  isIntended,
  type Kinds,
  kind,
  string,
  warn,
} from '@fairlead/options';
import type { BroadcastAdapter } from './rooms.js';

/** The part of a node-redis client that publishes. */
export interface RedisPublisher {
  publish(channel: string, message: string): Promise<unknown>;
}

/** The part of a node-redis client that subscribes. */
export interface RedisSubscriber {
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>;
  unsubscribe(channel: string, listener: (message: string) => void): Promise<unknown>;
}

/** Options of {@link redisAdapter}. */
export interface RedisAdapterOptions {
  /** A connected node-redis client, which may also send other commands. */
  readonly publisher: RedisPublisher;
  /** Another connected client, such as `publisher.duplicate()`. It only subscribes. */
  readonly subscriber: RedisSubscriber;
  /** Begins the names of the channels. Default `fairlead:rooms:`. */
  readonly prefix?: string;
}

const REDIS_ADAPTER_OPTIONS: Kinds<RedisAdapterOptions> = {
  publisher: kind('a node-redis client', hasMethods('publish')),
  subscriber: kind('a node-redis client', hasMethods('subscribe', 'unsubscribe')),
  prefix: string,
};

const ONE_CLIENT =
  'redisAdapter() received one client as publisher and subscriber, but a client of Redis that subscribes cannot publish. Pass publisher.duplicate() as the subscriber, or pass the client to intended() if it can do both.';

/**
 * Creates an adapter for rooms that span processes, on the publish and subscribe commands of Redis or Valkey.
 * You connect the clients, listen to their `error` events, and close them.
 *
 * A process that loses its connection misses the messages until node-redis has connected and subscribed
 * again.
 *
 * @throws {SetupError} `INVALID_OPTION`, when an option is missing, unknown or invalid.
 */
export function redisAdapter(options: RedisAdapterOptions): BroadcastAdapter {
  const problems = findOptionProblems('redisAdapter()', options, REDIS_ADAPTER_OPTIONS);
  for (const name of ['publisher', 'subscriber'] as const) {
    if (problems.length > 0 || options?.[name] !== undefined) continue;
    problems.push(`redisAdapter() needs ${name}. Pass a node-redis client.`);
  }
  throwTogether(problems);
  const { publisher, subscriber, prefix = 'fairlead:rooms:' } = options;
  if (Object.is(publisher, subscriber) && !isIntended(publisher)) {
    const at = formatLocation(captureCaller(redisAdapter));
    warn('FAIRLEAD_OPTION', `${ONE_CLIENT}${at}`);
  }
  return {
    publish: async (channel, message) => {
      await publisher.publish(prefix + channel, message);
    },
    subscribe: async (channel, listener) => {
      // node-redis counts listeners by identity.
      const receive = (message: string): void => listener(message);
      await subscriber.subscribe(prefix + channel, receive);
      return async () => {
        await subscriber.unsubscribe(prefix + channel, receive);
      };
    },
  };
}
