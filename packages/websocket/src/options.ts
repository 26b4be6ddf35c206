import { assertOptions } from '@fairlead/core/extend';
import {
  arrayOf,
  either,
  integer,
  isToken,
  type Kinds,
  kind,
  oneOf,
  origins,
  positiveMilliseconds,
} from '@fairlead/options';

/** Options of `websocket()` and `websocketUpgrade()`. */
export interface WebSocketOptions {
  /**
   * The sites whose pages may open connections, such as `https://app.example.com`, or `'*'` for all. By
   * default, only pages of the host that the client requests, see `ctx.host`, and no page on `http:` if
   * `ctx.protocol` is `'https'`. Clients that send no `Origin`,
   * which are not browsers, may always connect.
   */
  readonly origins?: readonly string[] | '*';
  /** The subprotocols that the handler speaks. The first one that the client offers is selected. Default none. */
  readonly protocols?: readonly string[];
  /**
   * Maximum bytes of a message: 1 or more. A longer one closes the connection with 1009. One in more than 128 fragments
   * and more than one per KiB of this size closes it with 1008. Default 65,536.
   */
  readonly maxMessageSize?: number;
  /**
   * Messages, pings and pongs that a client may send in a second, on average over ten seconds: 1 or more.
   * More of them close the connection with 1008. Default 100.
   */
  readonly maxMessageRate?: number;
  /**
   * Bytes that may wait for a client that reads slowly, before another message disconnects it. Default
   * 1,048,576.
   */
  readonly maxBufferSize?: number;
  /**
   * Milliseconds between two pings: 1 or more. A client that has sent nothing since the last one is
   * disconnected. Default 30,000.
   */
  readonly pingInterval?: number;
}

const PROTOCOL = kind('a token', isToken);

const WEBSOCKET_OPTIONS: Kinds<WebSocketOptions> = {
  origins: either(origins, oneOf('*')),
  protocols: arrayOf(PROTOCOL, 'an array of subprotocol names without spaces'),
  maxMessageSize: integer(1, 2 ** 31 - 1, 'number of bytes'),
  maxMessageRate: integer(1),
  maxBufferSize: integer(0, undefined, 'number of bytes'),
  pingInterval: positiveMilliseconds,
};

/** The options with their defaults. */
export type CompleteOptions = Readonly<Required<Omit<WebSocketOptions, 'origins'>>> &
  Pick<WebSocketOptions, 'origins'>;

/**
 * Checks options, and fills in the defaults.
 *
 * @param call - The call that received them, for the message.
 * @throws {SetupError} `INVALID_OPTION`, with every problem.
 */
export function completeOptions(call: string, options: WebSocketOptions): CompleteOptions {
  assertOptions(call, options, WEBSOCKET_OPTIONS);
  return Object.freeze({
    protocols: [],
    maxMessageSize: 65_536,
    maxMessageRate: 100,
    maxBufferSize: 1_048_576,
    pingInterval: 30_000,
    // A member that is undefined counts as omitted.
    ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)),
  });
}
