import { cases } from '@fairlead/test-support/properties';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ApplicationOptions, createApp } from '../src/index.js';
import { sender } from './support/send.js';

const PROXY = '10.0.0.1';
const OUTER = '10.0.0.2';
const CLIENT = '192.0.2.7';

type Proxy = ApplicationOptions['proxy'];

function echo(proxy: Proxy) {
  return createApp(proxy === undefined ? {} : { proxy }).use((ctx) =>
    ctx.json({ ip: ctx.ip, protocol: ctx.protocol, host: ctx.host }),
  );
}

/** Returns what the application reads from a request that arrives from a peer, by default a proxy. */
async function read(proxy: Proxy, headers: Record<string, string>, ip = PROXY): Promise<unknown> {
  const response = await echo(proxy).request('/', { headers: { Host: 'own', ...headers } }, { ip });
  return response.json();
}

const X_FORWARDED = {
  'X-Forwarded-For': CLIENT,
  'X-Forwarded-Proto': 'https',
  'X-Forwarded-Host': 'example.com',
};
const FORWARDED = { Forwarded: `for=${CLIENT};proto=https;host=example.com` };
const direct = { ip: PROXY, protocol: 'http', host: 'own' };
const forwarded = { ip: CLIENT, protocol: 'https', host: 'example.com' };

describe('without a proxy', () => {
  it('the connection and Host name the client', async () => {
    const send = await sender(echo(undefined));
    const headers = { Host: 'own:80', ...X_FORWARDED, ...FORWARDED };
    const reply = await send('GET', '/', { headers });
    expect(reply.json()).toEqual({ ip: '127.0.0.1', protocol: 'http', host: 'own:80' });
  });

  it('an IPv4-mapped address is IPv4', async () => {
    expect(await read(undefined, {}, '::ffff:192.0.2.7')).toHaveProperty('ip', CLIENT);
  });

  it('the host of an absolute-form target takes precedence over Host, and nothing else does', async () => {
    const send = await sender(echo(undefined));
    const options = { headers: { Host: 'own' } };
    const reply = await send('GET', 'https://example.com:8443/a', options);
    expect(reply.json()).toEqual({
      ip: '127.0.0.1',
      protocol: 'http',
      host: 'example.com:8443',
    });
  });

  it.each(['http', 'https'])(
    'a call without a socket comes from 127.0.0.1 by the protocol of its URL: %s',
    async (protocol) => {
      const response = await echo(undefined).request(`${protocol}://example.com/`);
      const client = { ip: '127.0.0.1', protocol, host: 'example.com' };
      expect(await response.json()).toEqual(client);
    },
  );

  it('a call without a socket cannot come from anything but an IP address', async () => {
    await expect(createApp().request('/', {}, { ip: 'localhost' })).rejects.toThrow(
      "ip of app.fetch() must be an IPv4 or IPv6 address: got 'localhost'.",
    );
  });
});

describe('behind a proxy', () => {
  it.each<[Proxy, Record<string, string>]>([
    [1, X_FORWARDED],
    [[PROXY], X_FORWARDED],
    [['10.0.0.0/8'], X_FORWARDED],
    [{ trust: 1 }, X_FORWARDED],
    [{ trust: ['10.0.0.0/8'], header: 'x-forwarded' }, X_FORWARDED],
    [{ trust: 1, header: 'forwarded' }, FORWARDED],
    [{ trust: [PROXY], header: 'forwarded' }, FORWARDED],
  ])('the option %j reads %j', async (proxy, headers) => {
    expect(await read(proxy, headers)).toEqual(forwarded);
  });

  it.each<[Proxy, Record<string, string>]>([
    [1, FORWARDED],
    [[PROXY], FORWARDED],
    [{ trust: 1, header: 'forwarded' }, X_FORWARDED],
    [0, X_FORWARDED],
    [[], X_FORWARDED],
  ])('the option %j ignores %j', async (proxy, headers) => {
    expect(await read(proxy, headers)).toEqual(direct);
  });

  it.each([
    ['x-forwarded', X_FORWARDED],
    ['forwarded', FORWARDED],
  ] as const)('a peer that is not listed cannot use the headers: %s', async (header, headers) => {
    const proxy = { trust: ['10.0.0.0/8'], header };
    expect(await read(proxy, headers, '203.0.113.9')).toEqual({ ...direct, ip: '203.0.113.9' });
  });

  it('an IPv4 range matches a mapped peer, and an IPv6 range an IPv6 peer', async () => {
    expect(await read(['10.0.0.0/8'], X_FORWARDED, '::ffff:10.0.0.1')).toEqual(forwarded);
    expect(await read(['fd00::/8'], X_FORWARDED, 'fd00::1')).toEqual(forwarded);
  });

  it('the last address that is not a proxy is the client', async () => {
    const headers = { 'X-Forwarded-For': `6.6.6.6, ${CLIENT}, ${OUTER}` };
    expect(await read(['10.0.0.0/8'], headers)).toHaveProperty('ip', CLIENT);
    expect(await read([PROXY], headers)).toHaveProperty('ip', OUTER);
    expect(await read(2, headers)).toHaveProperty('ip', CLIENT);
  });

  it.each([
    ['X-Forwarded-For', 1, [CLIENT, '6.6.6.6, 6.6.6.7']],
    ['X-Forwarded-For', 2, ['6.6.6.7', '6.6.6.6, 6.6.6.7']],
    ['X-Forwarded-For', 5, ['6.6.6.6', '6.6.6.6, 6.6.6.7']],
  ] as const)(
    'repeated %s headers are one list, for %i proxies',
    async (name, proxy, [ip, sent]) => {
      const send = await sender(echo(proxy));
      const reply = await send('GET', '/', { headers: { [name]: [sent, CLIENT] } });
      expect(reply.json()).toHaveProperty('ip', ip);
    },
  );

  it('protocol and host are those of the proxy that the client is connected to', async () => {
    const headers = {
      'X-Forwarded-For': `6.6.6.6, ${CLIENT}, ${OUTER}`,
      'X-Forwarded-Proto': 'http, https, http',
      'X-Forwarded-Host': 'evil, example.com, inner',
    };
    expect(await read(2, headers)).toEqual(forwarded);
    const elements =
      'host=evil;proto=http, for=192.0.2.7;proto=https;host=example.com, for=10.0.0.2;proto=http;host=inner';
    expect(await read({ trust: 2, header: 'forwarded' }, { Forwarded: elements })).toEqual(
      forwarded,
    );
  });

  it('a protocol and host that an inner proxy passes on count', async () => {
    const headers = { ...X_FORWARDED, 'X-Forwarded-For': `${CLIENT}, ${OUTER}` };
    expect(await read(2, headers)).toEqual(forwarded);
  });

  it.each([
    ['https', forwarded.protocol],
    ['https, http', direct.protocol],
    ['http, https, http, http', forwarded.protocol],
    ['https, http, , http', direct.protocol],
    [', http, http', direct.protocol],
  ])('of three proxies, X-Forwarded-Proto: %s means %s', async (value, protocol) => {
    const headers = { 'X-Forwarded-For': `${CLIENT}, ${OUTER}, 10.0.0.3` };
    const seen = await read(3, { ...headers, 'X-Forwarded-Proto': value });
    expect(seen).toEqual({ ip: CLIENT, protocol, host: 'own' });
  });

  it('a protocol counts without addresses', async () => {
    const headers = { 'X-Forwarded-Proto': 'http, HTTPS' };
    expect(await read(1, headers)).toEqual({ ...direct, protocol: 'https' });
  });

  it.each([
    ['192.0.2.7:4711', CLIENT],
    ['2001:db8::7', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['[2001:db8::7]:4711', '2001:db8::7'],
    ['::ffff:192.0.2.7', CLIENT],
    ['unknown', PROXY],
    ['_hidden', PROXY],
    ['', PROXY],
    [',', PROXY],
    ['192.0.2.300', PROXY],
    ['[192.0.2.7]', PROXY],
    ['192.0.2.7:', PROXY],
    ['example.com', PROXY],
    ['"192.0.2.7"', PROXY],
  ])('X-Forwarded-For: %s is the address %s', async (address, ip) => {
    expect(await read(1, { 'X-Forwarded-For': `6.6.6.6, ${address}` })).toHaveProperty('ip', ip);
  });

  it.each([
    ['for=192.0.2.7', CLIENT],
    ['For="192.0.2.7:4711"', CLIENT],
    ['for="[2001:db8::7]:4711"', '2001:db8::7'],
    ['for="[2001:db8::7]:_port"; by=_proxy', '2001:db8::7'],
    ['for="\\1\\92.0.2.7"', CLIENT],
    ['secret="a;for=6.6.6.6";for=192.0.2.7', CLIENT],
    ['proto=https', PROXY],
    ['for=unknown', PROXY],
    ['for=_hidden', PROXY],
    ['for=2001:db8::7', PROXY],
    ['for=192.0.2.7;for=6.6.6.6', PROXY],
    ['for=192.0.2.7 proto=https', PROXY],
    ['for="192.0.2.7', PROXY],
    ['for', PROXY],
    ['=', PROXY],
  ])('Forwarded: %s is the address %s', async (element, ip) => {
    const proxy: Proxy = { trust: 1, header: 'forwarded' };
    expect(await read(proxy, { Forwarded: `for=6.6.6.6, ${element}` })).toHaveProperty('ip', ip);
  });

  it('the host of a proxy takes precedence over that of an absolute-form target', async () => {
    const send = await sender(echo(1));
    const read = async (headers: Record<string, string>) =>
      (await send('GET', 'http://target.com/', { headers })).json();
    expect(await read({ 'X-Forwarded-Host': 'example.com' })).toHaveProperty('host', 'example.com');
    expect(await read({ 'X-Forwarded-Host': 'a b' })).toHaveProperty('host', 'target.com');
  });

  it('a quotation that the client opens does not swallow what the proxy appends', async () => {
    const Forwarded = `for=6.6.6.6, for="6.6.6.7, for="${CLIENT}";proto=https;host=example.com`;
    expect(await read({ trust: 1, header: 'forwarded' }, { Forwarded })).toEqual(forwarded);
  });

  it.each([
    'proto=https;host=evil.com',
    'for=6.6.6.6;proto=https;host=evil.com',
    'for=6.6.6.6;proto=https;host="evil.com',
    'proto=https;host=evil.com;for="\\',
  ])('an element in which the proxy states only the address hides %s', async (sent) => {
    const Forwarded = `${sent}, for=${CLIENT}`;
    expect(await read({ trust: 1, header: 'forwarded' }, { Forwarded })).toEqual({
      ...direct,
      ip: CLIENT,
    });
  });

  it('a proxy that states no protocol or host hides those of other proxies', async () => {
    const Forwarded = `for=${CLIENT}, for=${OUTER};proto=https;host=example.com`;
    expect(await read({ trust: 2, header: 'forwarded' }, { Forwarded })).toEqual({
      ...direct,
      ip: CLIENT,
    });
  });

  it.each(['a,b', ',for=6.6.6.6;proto=http', '",for=6.6.6.6;host="evil.com', '\\'])(
    'a host that the client has filled with syntax stays in the quotation of the proxy: %s',
    async (host) => {
      const quoted = host.replace(/[\\"]/g, '\\$&');
      const Forwarded = `for=6.6.6.6, for=${CLIENT};proto=https;host="${quoted}"`;
      expect(await read({ trust: 1, header: 'forwarded' }, { Forwarded })).toEqual({
        ...forwarded,
        host: 'own',
      });
    },
  );

  it.each(['ftp', 'https:', 'htt ps'])(
    'the protocol %j is that of the connection',
    async (value) => {
      const headers = { ...X_FORWARDED, 'X-Forwarded-Proto': value };
      expect(await read(1, headers)).toEqual({ ...forwarded, protocol: 'http' });
    },
  );

  it.each(['a b', 'a/b', 'a@b', 'a:b', '[::1', '<script>', 'a:123456', 'a:99999'])(
    'the malformed host %j gives way to Host',
    async (value) => {
      const headers = { ...X_FORWARDED, 'X-Forwarded-Host': value };
      expect(await read(1, headers)).toEqual({ ...forwarded, host: 'own' });
    },
  );

  it.each(['example.com:8443', '[2001:db8::1]:80', '192.0.2.1'])(
    'the host %s counts',
    async (host) => {
      expect(await read(1, { 'X-Forwarded-Host': host })).toHaveProperty('host', host);
    },
  );
});

describe('whatever a client sends, the application reads what its proxies saw', () => {
  const address = fc.oneof(
    fc.ipV4().filter((ip) => !ip.startsWith('10.')),
    fc.ipV6().filter((ip) => !/^(?:fd|::)/i.test(ip) && !ip.includes('.')),
  );
  const proxies = fc.array(
    fc.oneof(
      fc.nat(255).map((last) => `10.0.0.${last}`),
      fc.nat(9).map((last) => `fd00::${last}`),
    ),
    { minLength: 1, maxLength: 4 },
  );
  const syntax = ['for=', 'proto=', 'host=', '"', ',', ';', '\\', '='];
  const claims = ['6.6.6.6', '10.0.0.1', 'unknown', '[::1]', 'https', 'evil.com'];
  const text = fc
    .array(fc.oneof(fc.constantFrom(...syntax, ...claims), fc.string({ maxLength: 3 })), {
      maxLength: 12,
    })
    .map((pieces) => pieces.join('').trim());

  it('in X-Forwarded-*', async () => {
    const law = fc.asyncProperty(address, proxies, text, async (from, chain, sent) => {
      const senders = [from, ...chain];
      const ip = senders.at(-1) ?? '';
      const append = (values: readonly string[]) => [sent, ...values].join(', ');
      const headers = {
        'X-Forwarded-For': append(senders.slice(0, -1)),
        'X-Forwarded-Proto': append(chain.map((_, index) => (index === 0 ? 'https' : 'http'))),
        'X-Forwarded-Host': append(chain.map((_, index) => (index === 0 ? 'example.com' : 'own'))),
      };
      for (const trust of [chain.length, ['10.0.0.0/8', 'fd00::/8']]) {
        expect(await read(trust, headers, ip)).toEqual({ ...forwarded, ip: from });
      }
    });
    await fc.assert(law, { numRuns: cases(40) });
  });

  const node = (ip: string): string => (ip.includes(':') ? `for="[${ip}]"` : `for=${ip}`);
  const quote = (value: string): string => `"${value.replace(/[\\"]/g, '\\$&')}"`;
  /** What the proxy that the client is connected to states, and what the application then reads. */
  const first = fc.oneof(
    fc.constant({ stated: '', seen: direct }),
    fc.constant({ stated: ';proto=https;host="example.com"', seen: forwarded }),
    text.map((host) => ({
      stated: `;proto=https;host=${quote(`${host},`)}`,
      seen: { ...forwarded, host: direct.host },
    })),
  );
  const later = fc.constantFrom('', ';proto=http;host=inner', ';host="a,b;\\"";proto=http');

  it('in Forwarded', async () => {
    const law = fc.asyncProperty(
      fc.tuple(address, proxies, text, first, later),
      async ([from, chain, sent, { stated, seen }, rest]) => {
        const senders = [from, ...chain];
        const ip = senders.at(-1) ?? '';
        const [outer = '', ...inner] = senders.slice(0, -1).map(node);
        const elements = [sent, `${outer}${stated}`, ...inner.map((name) => `${name}${rest}`)];
        for (const trust of [chain.length, ['10.0.0.0/8', 'fd00::/8']]) {
          const proxy: Proxy = { trust, header: 'forwarded' };
          const result = await read(proxy, { Forwarded: elements.join(', ') }, ip);
          expect(result).toEqual({ ...seen, ip: from });
        }
      },
    );
    await fc.assert(law, { numRuns: cases(80) });
  });
});

it('the problems of proxy and of other options are one error', () => {
  expect(() => Reflect.apply(createApp, undefined, [{ proxy: true, strcit: true }])).toThrow(
    expect.objectContaining({
      code: 'INVALID_OPTION',
      message: expect.stringMatching(
        /^createApp\(\) has no option 'strcit'.*\nproxy of createApp\(\) must be .*: got true/,
      ),
    }),
  );
});

describe('the option proxy', () => {
  const TRUST =
    "a number of proxies, or a list of addresses and CIDR ranges such as ['10.0.0.0/8']";
  const RANGE = "Use an address or CIDR range such as '10.0.0.0/8' or '::1'.";

  it.each<[unknown, string]>([
    [true, `proxy of createApp() must be ${TRUST}: got true.`],
    [null, `proxy of createApp() must be ${TRUST}: got null.`],
    ['10.0.0.1', `proxy of createApp() must be ${TRUST}: got '10.0.0.1'.`],
    [-1, `proxy of createApp() must be ${TRUST}: got -1.`],
    [1.5, `proxy of createApp() must be ${TRUST}: got 1.5.`],
    [Number.NaN, `proxy of createApp() must be ${TRUST}: got NaN.`],
    [['proxy.local'], `createApp() cannot use 'proxy.local' in proxy. ${RANGE}`],
    [['10.0.0.0/33'], `createApp() cannot use '10.0.0.0/33' in proxy. ${RANGE}`],
    [['10.0.0.0/'], `createApp() cannot use '10.0.0.0/' in proxy. ${RANGE}`],
    [[''], `createApp() cannot use '' in proxy. ${RANGE}`],
    [[1], `createApp() cannot use 1 in proxy. ${RANGE}`],
    [
      ['0.0.0.0/0'],
      "createApp() cannot use '0.0.0.0/0' in proxy: clients could choose their address. List your proxies.",
    ],
    [{}, `trust of createApp({ proxy }) must be ${TRUST}: got undefined.`],
    [{ trust: ['a'] }, `createApp({ proxy }) cannot use 'a' in trust. ${RANGE}`],
    [
      { trust: 1, header: 'Forwarded' },
      "header of createApp({ proxy }) must be 'x-forwarded' or 'forwarded': got 'Forwarded'.",
    ],
    [
      { trust: 1, headers: 'forwarded' },
      "createApp({ proxy }) has no option 'headers'. Did you mean 'header'?",
    ],
    [
      { trust: ['::1', 'a', ''], heade: 'forwarded' },
      [
        `createApp({ proxy }) cannot use 'a' in trust. ${RANGE}`,
        `createApp({ proxy }) cannot use '' in trust. ${RANGE}`,
        "createApp({ proxy }) has no option 'heade'. Did you mean 'header'?",
      ].join('\n'),
    ],
  ])('refuses %j', (proxy, message) => {
    expect(() => Reflect.apply(createApp, undefined, [{ proxy }])).toThrow(
      expect.objectContaining({
        name: 'SetupError',
        code: 'INVALID_OPTION',
        message,
      }),
    );
  });
});
