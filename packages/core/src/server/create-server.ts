import type { RequestListener, Server, ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { createServer as createNodeServer } from '../node-http.js';
import { admit, expectContinue, type Shutdown, track } from './connection.js';
import { checkHead, type ServerLimits } from './limits.js';
import { EXPECTATION_FAILED, onClientError, refuse } from './refusals.js';
import { checkInterval } from './timeouts.js';
import { createTlsServer } from './tls.js';
import { acceptUpgrades, type Opens } from './upgrade.js';

/**
 * Creates a node:http server that refuses requests that are too long, too slow or malformed. Refusals
 * have a problem body and are sent in the order of the requests. WebSocket handshakes are requests, too.
 *
 * @param limits - The caller enforces `keepAliveTimeout` and `writeTimeout`.
 * @param closing - Undefined for connections in memory.
 * @param opens - Knows the routes that open WebSocket connections.
 * @throws {SetupError} `INVALID_OPTION`, when Node.js rejects the TLS options.
 * @see RFC 9112 §3 (414), §3.2 (Host), §6.1 (HTTP/1.0), RFC 6585 §5 (431), RFC 9110 §15.5.9, §15.6.6, §10.1.1 (Expect)
 */
export function createServer(
  handle: RequestListener,
  limits: Required<ServerLimits>,
  tls?: TlsOptions,
  closing?: Shutdown,
  opens?: Opens,
): Server {
  const { headersTimeout, requestTimeout, keepAliveTimeout, maxHeaderSize } = limits;
  const admitRequest = admit((req, res) => {
    const refusal = checkHead(req, limits);
    if (refusal === undefined) handle(req, res);
    else refuse(res, refusal);
  });
  const options: ServerOptions & { optimizeEmptyRequests: boolean } = {
    // Node throws when headersTimeout exceeds requestTimeout.
    headersTimeout: requestTimeout > 0 ? Math.min(headersTimeout, requestTimeout) : headersTimeout,
    requestTimeout,
    // Node would set and clear a timer for each request. listen() checks all connections instead.
    keepAliveTimeout: 0,
    maxHeaderSize,
    // checkHead() checks Host instead, because it also refuses repeated Host headers.
    requireHostHeader: false,
    // How often Node.js checks headersTimeout and requestTimeout.
    connectionsCheckingInterval: checkInterval(headersTimeout, requestTimeout),
    // A request without a body starts as an ended stream. Node 22 ignores the option.
    optimizeEmptyRequests: true,
  };
  const keepAlive =
    keepAliveTimeout > 0 ? `timeout=${Math.floor(keepAliveTimeout / 1_000)}` : undefined;
  const server = tls === undefined ? createNodeServer(options) : createTlsServer(options, tls);
  // Node would silently drop headers past its limit. checkHead() refuses the request instead.
  server.maxHeadersCount = 0;
  const ready = connectionEvent(tls);
  acceptUpgrades(server, ready, opens);
  // `100 Continue` is sent when the body is read, so a refused body is never sent.
  server.on('checkContinue', (req, res) => {
    expectContinue(req);
    admitRequest(req, res);
  });
  const refuseExpectation = admit((_req, res) => refuse(res, EXPECTATION_FAILED));
  return server
    .on(ready, (socket: Socket) => track(socket, keepAlive, closing))
    .on('request', admitRequest)
    .on('checkExpectation', refuseExpectation)
    .on('clientError', onClientError);
}

/** Returns the event that a server emits for a connection that is ready for HTTP. */
export function connectionEvent(tls: TlsOptions | undefined): string {
  return tls === undefined ? 'connection' : 'secureConnection';
}
