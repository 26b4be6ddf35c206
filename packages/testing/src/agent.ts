import { assertOptions } from '@fairlead/core/extend';
import { type Kinds, kind, nonEmptyString } from '@fairlead/options';
import { CookieJar } from 'tough-cookie';
import type { AgentOptions, TestAgent } from './test-app.js';

const OPTIONS: Kinds<AgentOptions> = {
  origin: kind(
    "an origin such as 'https://example.com'",
    (value) =>
      typeof value === 'string' &&
      URL.canParse(value) &&
      /^https?:$/.test(new URL(value).protocol) &&
      new URL(value).origin === value,
  ),
  ip: nonEmptyString,
};

/**
 * Creates a client with its own cookies.
 *
 * @param request - Sends a request to a URL.
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid.
 * @see RFC 6265
 */
export function createAgent(request: TestAgent['request'], options: AgentOptions): TestAgent {
  assertOptions('app.agent()', options, OPTIONS);
  const { origin = 'http://localhost', ip } = options;
  // Without the list of public suffixes, an origin such as https://app.test works like any other.
  const jar = new CookieJar(undefined, { rejectPublicSuffixes: false });
  const urlOf = (path: string): string =>
    path.startsWith('/') ? `${origin}${path}` : new URL(path, origin).href;
  return {
    async request(path, init = {}) {
      const url = urlOf(path);
      const headers = new Headers(init.headers);
      const cookies = jar.getCookieStringSync(url);
      if (cookies !== '' && !headers.has('Cookie')) headers.set('Cookie', cookies);
      const response = await request(url, { ...(ip !== undefined && { ip }), ...init, headers });
      for (const cookie of response.headers.getSetCookie()) {
        // Like a browser, ignores a cookie that the origin must not set.
        jar.setCookieSync(cookie, url, { ignoreError: true });
      }
      return response;
    },
    cookies: (path = '/') => {
      // Of two with one name, the application reads the first.
      const cookies = jar.getCookiesSync(urlOf(path)).reverse();
      return Object.fromEntries(cookies.map(({ key, value }) => [key, value]));
    },
  };
}
