import type { Server, ServerOptions } from 'node:http';
import type { TlsOptions } from 'node:tls';
import { object } from '@fairlead/options';
import { SetupError } from '../setup/setup-error.js';

/** Options that authenticate a server to its clients, besides a certificate with a key. */
const IDENTITIES = ['pfx', 'secureContext', 'SNICallback', 'pskCallback'] as const;

/**
 * Finds what is wrong with the option `tls` of `listen()`. Node.js checks the values, which are secret: messages
 * do not show them.
 */
export function findTlsProblems(tls: TlsOptions | undefined): readonly string[] {
  const problem = tls === undefined ? undefined : findTlsProblem(tls);
  return problem === undefined ? [] : [`${INVALID_TLS} ${problem}. Pass tls: { key, cert }.`];
}

function findTlsProblem(tls: TlsOptions): string | undefined {
  if (!object.accepts(tls)) return 'it is not an object';
  if (IDENTITIES.some((name) => tls[name] !== undefined)) return undefined;
  if (tls.cert === undefined) return 'it has no certificate';
  const hasKey = (tls.key ?? tls.privateKeyIdentifier) !== undefined;
  return hasKey ? undefined : 'it has no key for the certificate';
}

const INVALID_TLS = 'Invalid tls option of listen():';

export function createTlsServer(options: ServerOptions, tls: TlsOptions): Server {
  // Loaded here, because most applications leave TLS to a proxy.
  const { createServer } = process.getBuiltinModule('node:https');
  const { headersTimeout: handshakeTimeout = 0 } = options;
  try {
    return createServer({ ...(handshakeTimeout > 0 && { handshakeTimeout }), ...tls, ...options });
  } catch (cause) {
    const problem = `${INVALID_TLS} ${(cause as Error).message}. Check the key and the certificate.`;
    throw new SetupError('INVALID_OPTION', problem, { cause });
  }
}
