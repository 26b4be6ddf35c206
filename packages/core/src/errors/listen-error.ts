import { SetupError } from './setup-error.js';

/** A port could not be bound; node's error is the `cause`. */
export class ListenError extends SetupError {
  /** The port that was asked for. */
  readonly port: number;
  /** The address or name that was asked for; undefined for every interface. */
  readonly host: string | undefined;

  /**
   * @param port - The port that was asked for.
   * @param host - The address or name that was asked for; undefined for every interface.
   * @param cause - Error of node.
   */
  constructor(port: number, host: string | undefined, cause: NodeJS.ErrnoException) {
    const place = host === undefined ? `port ${port}` : `port ${port} of ${host}`;
    super('LISTEN_FAILED', `Cannot listen on ${place}: ${reasonOf(cause)}`, { cause });
    this.port = port;
    this.host = host;
  }
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'EADDRINUSE') return 'it is in use. Stop what uses it, or choose another port.';
  if (code === 'EACCES') return 'this user may not. Choose a port from 1024 up.';
  return `${message}.`;
}
