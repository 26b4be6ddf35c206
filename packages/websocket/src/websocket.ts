import {
  type AnyContext,
  BadRequestError,
  type Context,
  ForbiddenError,
  HttpError,
  type Params,
  type RawInputs,
  type RequestInputs,
  ServiceUnavailableError,
  SetupError,
  type State,
} from '@fairlead/core';
import { type Doubt, describe, describeFactories } from '@fairlead/core/extend';
import {
  describeValue,
  explainSeconds,
  named,
  originOf,
  SHORTEST_TIMEOUT,
} from '@fairlead/options';
import { WebSocketServer } from 'ws';
import { type CompleteOptions, completeOptions, type WebSocketOptions } from './options.js';
import { LimitedConnection, type WebSocketConnection } from './web-socket-connection.js';

/**
 * Handles an open connection. The connection stays open after the handler has returned. When the handler
 * throws or rejects, `onError` of the error handler receives the error, and the connection closes with 1011.
 *
 * @typeParam P - Type of `ctx.params`.
 * @typeParam S - Members of `ctx.state` that middleware has set.
 * @typeParam I - Types of the query and the headers.
 */
export type WebSocketHandler<
  P extends object = Params,
  S extends State = State,
  I extends RequestInputs = RawInputs,
> = (socket: WebSocketConnection, ctx: Context<P, S, I>) => unknown;

/**
 * Creates the handler of a GET route that opens WebSocket connections. The middleware of the application and
 * of the route runs before. What it throws refuses the handshake with an ordinary response. So do requests
 * that are not a valid handshake: 426 `UPGRADE_REQUIRED`, 400 `INVALID_HANDSHAKE`, 403 `ORIGIN_NOT_ALLOWED`,
 * and 503 `SERVER_CLOSING` during the shutdown.
 *
 * @param handler - Called when a connection has opened.
 * @param options - Limits, and who may connect.
 * @throws {SetupError} `INVALID_OPTION`, when an argument is unknown or invalid.
 * @see RFC 6455 §4.2
 */
export function websocket<
  P extends object = Params,
  S extends State = State,
  I extends RequestInputs = RawInputs,
>(
  handler: WebSocketHandler<P, S, I>,
  options: WebSocketOptions = {},
): (ctx: Context<P, S, I>) => void {
  const accept = createAccept('websocket()', options);
  if (typeof handler !== 'function') {
    throw new SetupError(
      'INVALID_OPTION',
      `websocket() cannot use ${describeValue(handler)} as its handler. Pass a function (socket, ctx).`,
    );
  }
  const open = named('websocket', (ctx: Context<P, S, I>) => {
    accept.check(ctx);
    accept.open(ctx, (socket) => handler(socket, ctx));
  });
  return describe(open, { role: 'websocket', warning: describeInterval('websocket()', options) });
}

/**
 * Creates an interceptor for a controller's method with `@Get()`. The method returns the
 * {@link WebSocketHandler} of the connection. Guards, parameters and the method itself may refuse the
 * handshake with an ordinary response. The interceptor of a method replaces that of its class.
 *
 * @param options - Same as for {@link websocket}.
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid.
 */
export function websocketUpgrade(
  options: WebSocketOptions = {},
): (ctx: AnyContext, next: () => unknown) => Promise<void> {
  const accept = createAccept('websocketUpgrade()', options);
  const upgrade = named('websocketUpgrade', async (ctx: AnyContext, next: () => unknown) => {
    accept.check(ctx);
    const handler = await next();
    if (typeof handler !== 'function') {
      throw new TypeError(
        `A method with websocketUpgrade() returned ${describeValue(handler)}. Return a function (socket, ctx).`,
      );
    }
    accept.open(ctx, (socket) => handler(socket, ctx));
  });
  return describe(upgrade, {
    role: 'websocket',
    slot: 'websocket',
    warning: describeInterval('websocketUpgrade()', options),
    check: () => NO_HANDLER,
  });
}

/** Called only if an application or a router has the interceptor among its functions. */
const NO_HANDLER: Doubt = {
  code: 'FAIRLEAD_ROUTE',
  message:
    'websocketUpgrade() is an interceptor, so it opens no connection as the handler or the middleware of a route. Use websocket(handler), or pass it to @UseInterceptor() of a method that returns the handler.',
};

/** Creates the function that warns about pings in an interval that was probably meant in seconds. */
function describeInterval(
  call: string,
  { pingInterval }: WebSocketOptions,
): () => string | undefined {
  const sentence = `${call} sends a ping every`;
  return () => explainSeconds(sentence, pingInterval, SHORTEST_TIMEOUT, 'its result');
}

describeFactories(websocket, websocketUpgrade);

type Run = (socket: WebSocketConnection) => unknown;

/** The two steps of a handshake. */
interface Accept {
  /** @throws {HttpError} When the handshake is refused. */
  check(ctx: AnyContext): void;
  /**
   * Completes the handshake, then calls the handler.
   *
   * @throws {ServiceUnavailableError} 503 `SERVER_CLOSING`, when the server has started closing since `check()`.
   */
  open(ctx: AnyContext, handler: Run): void;
}

function createAccept(call: string, given: WebSocketOptions): Accept {
  const options = completeOptions(call, given);
  const { protocols, maxMessageSize } = options;
  const settings = {
    noServer: true,
    clientTracking: false,
    maxPayload: maxMessageSize,
    // Each takes about 100 bytes of memory, even if it has only one.
    maxFragments: Math.max(128, maxMessageSize / 1_024),
    maxBufferedChunks: Math.max(1_024, maxMessageSize / 64),
    closeTimeout: CLOSE_TIMEOUT,
    handleProtocols: (offered: Set<string>) =>
      [...offered].find((protocol) => protocols.includes(protocol)) ?? false,
  };
  const server = new WebSocketServer(settings);
  return {
    check: (ctx) => checkHandshake(ctx, options),
    open: (ctx, handler) => {
      const { closing } = ctx;
      // The method of a controller runs after check(). A connection would never learn of a signal that has aborted.
      assertServing(closing);
      const { socket, head } = ctx.upgrade();
      server.handleUpgrade(ctx.req, socket, head, (ws) => {
        const connection = new LimitedConnection(ws, options, closing);
        void run(connection, ctx, handler);
      });
    },
  };
}

/** Milliseconds that a client may take to confirm that the connection closes. */
const CLOSE_TIMEOUT = 5_000;

async function run(connection: LimitedConnection, ctx: AnyContext, handler: Run): Promise<void> {
  try {
    await handler(connection);
  } catch (error) {
    ctx.report(error);
    connection.close(1011, 'Internal server error.');
  } finally {
    connection.endHandler();
  }
}

/** @see RFC 6455 §4.2.1, §4.4, §10.2 */
function checkHandshake(ctx: AnyContext, { origins }: CompleteOptions): void {
  if (ctx.get('Upgrade')?.toLowerCase() !== 'websocket') {
    throw upgradeRequired('This resource needs a WebSocket connection.');
  }
  if (ctx.get('Sec-WebSocket-Version') !== '13') {
    throw upgradeRequired('Sec-WebSocket-Version must be 13.');
  }
  if (!/^[+/0-9A-Za-z]{22}==$/.test(ctx.get('Sec-WebSocket-Key') ?? '')) {
    throw invalid('Sec-WebSocket-Key must be 16 bytes in base64.');
  }
  const offered = ctx.get('Sec-WebSocket-Protocol');
  if (offered !== undefined && !areProtocols(offered)) {
    throw invalid('Sec-WebSocket-Protocol must be a list of distinct names.');
  }
  const origin = ctx.get('Origin');
  if (origin !== undefined && !isAllowed(origin, origins, ctx)) {
    throw new ForbiddenError('Pages of this origin may not open WebSocket connections here.', {
      code: 'ORIGIN_NOT_ALLOWED',
    });
  }
  assertServing(ctx.closing);
}

/** @throws {ServiceUnavailableError} 503 `SERVER_CLOSING`, when the server has started closing. */
function assertServing(closing: AbortSignal): void {
  if (!closing.aborted) return;
  throw new ServiceUnavailableError('The server is closing. Connect again.', {
    code: 'SERVER_CLOSING',
    expose: true,
  });
}

function upgradeRequired(message: string): HttpError {
  return new HttpError(426, message, {
    code: 'UPGRADE_REQUIRED',
    headers: { Upgrade: 'websocket', Connection: 'close, Upgrade', 'Sec-WebSocket-Version': '13' },
  });
}

function invalid(message: string): BadRequestError {
  return new BadRequestError(message, { code: 'INVALID_HANDSHAKE' });
}

/** A token, written out so that the time of the expression is proven. RFC 9110 §5.6.2 */
const TOKEN = "[!#$%&'*+.^_`|~\\w-]+";
const PROTOCOLS = new RegExp(`^${TOKEN}(?:[ \\t]*,[ \\t]*${TOKEN})*$`);

function areProtocols(offered: string): boolean {
  if (!PROTOCOLS.test(offered)) return false;
  const names = offered.split(',').map((name) => name.trim());
  return new Set(names).size === names.length;
}

function isAllowed(
  origin: string,
  origins: CompleteOptions['origins'],
  { host, protocol }: AnyContext,
): boolean {
  if (origins === '*') return true;
  if (origins !== undefined) return origins.includes(origin);
  // Behind a proxy that terminates TLS, the application may mistake https for http, but never http for https.
  const page = URL.parse(origin)?.origin;
  if (page === undefined) return false;
  return page === originOf(protocol, host) || page === originOf('https', host);
}
