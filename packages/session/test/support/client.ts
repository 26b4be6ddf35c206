import { type Application, listen } from '@fairlead/core';
import { onTestFinished } from 'vitest';

/** A client over a socket that keeps cookies, like a browser. */
export interface Client {
  /** The cookies by name. */
  readonly cookies: Map<string, string>;
  /** Sends a request and keeps the cookies of the response. */
  send(path: string, init?: RequestInit): Promise<Response>;
  /** Creates a client with the same cookies. */
  copy(): Client;
}

/** Listens on a free port until the test finishes, and returns a client without cookies. */
export async function serve(app: Application): Promise<Client> {
  const server = await listen(app, 0, { host: '127.0.0.1' });
  onTestFinished(() => server.close({ timeout: 0 }));
  return createClient(`http://127.0.0.1:${server.port}`, new Map());
}

function createClient(origin: string, cookies: Map<string, string>): Client {
  return {
    cookies,
    async send(path, init = {}) {
      const headers = new Headers(init.headers);
      const pairs = [...cookies].map(([name, value]) => `${name}=${value}`);
      if (pairs.length > 0) headers.set('Cookie', pairs.join('; '));
      const response = await fetch(origin + path, { ...init, headers });
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (/; Max-Age=0;/.test(line)) cookies.delete(name);
        else cookies.set(name, value);
      }
      return response;
    },
    copy: () => createClient(origin, new Map(cookies)),
  };
}
