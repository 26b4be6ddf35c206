import { describe, expect, it } from 'vitest';
import { CookieError, type CookieErrorCode } from './errors.js';
import { formatCookie, type ResolvedCookie } from './format-cookie.js';

const plain: ResolvedCookie = { name: 'a', value: '1', path: '/', secure: false };

const invalid: [CookieErrorCode, string, Partial<ResolvedCookie>, RegExp][] = [
  ...['', 'a b', 'a=b', 'a;b', 'a,b', 'a"', 'é', 'a\r\n', 'a\0', '(a)', '[a]', 'a/b'].map(
    (name): [CookieErrorCode, string, Partial<ResolvedCookie>, RegExp] => [
      'INVALID_COOKIE_NAME',
      `the name ${JSON.stringify(name)}`,
      { name },
      /Use only letters, digits and/,
    ],
  ),
  ...['a\r\nb', '\0', '\t', '\x7f', '\x85', '\ud800'].map(
    (value): [CookieErrorCode, string, Partial<ResolvedCookie>, RegExp] => [
      'INVALID_COOKIE_VALUE',
      `the value ${JSON.stringify(value)}`,
      { value },
      /contains a control character/,
    ],
  ),
  ['INVALID_OPTION', 'a relative path', { path: 'admin' }, /Start it with '\/'/],
  ['INVALID_OPTION', 'a path with ;', { path: '/;Domain=a' }, /path is invalid/],
  ['INVALID_OPTION', 'a path with CR LF', { path: '/\r\nX: 1' }, /path is invalid/],
  [
    'INVALID_OPTION',
    'a path of 1,025 bytes',
    { path: `/${'é'.repeat(512)}` },
    /has 1025 bytes, but clients ignore one of more than 1024\. Use a shorter/,
  ],
  ['INVALID_OPTION', 'a domain with ;', { domain: 'a;b' }, /domain is invalid/],
  ['INVALID_OPTION', 'a fraction of a second', { maxAge: 1.5 }, /maxAge is invalid/],
  ['INVALID_OPTION', 'an invalid date', { expires: new Date(NaN) }, /expires is invalid/],
  ['INVALID_OPTION', 'None without Secure', { sameSite: 'none' }, /secure: true/],
  ['INVALID_OPTION', 'Partitioned without Secure', { partitioned: true }, /secure: true/],
  ['COOKIE_PREFIX_BROKEN', '__Secure- without Secure', { name: '__Secure-a' }, /requires Secure/],
  ['COOKIE_PREFIX_BROKEN', '__Host- without Secure', { name: '__Host-a' }, /requires Secure/],
  ['COOKIE_PREFIX_BROKEN', 'a prefix in another case', { name: '__hOST-a' }, /requires Secure/],
  [
    'COOKIE_PREFIX_BROKEN',
    '__Host- with a path',
    { name: '__Host-a', secure: true, path: '/admin' },
    /Pass path: '\/'/,
  ],
  [
    'COOKIE_PREFIX_BROKEN',
    '__Host- with a domain',
    { name: '__Host-a', secure: true, domain: 'example.com' },
    /does not allow a domain/,
  ],
  ['COOKIE_PREFIX_BROKEN', '__Http- without Secure', { name: '__Http-a' }, /requires Secure/],
  [
    'COOKIE_PREFIX_BROKEN',
    '__Http- without HttpOnly',
    { name: '__http-a', secure: true },
    /the prefix __Http- requires HttpOnly\. Pass httpOnly: true/,
  ],
  [
    'COOKIE_PREFIX_BROKEN',
    '__Host-Http- without HttpOnly',
    { name: '__Host-Http-a', secure: true },
    /the prefix __Host-Http- requires HttpOnly/,
  ],
  [
    'COOKIE_PREFIX_BROKEN',
    '__Host-Http- with a path',
    { name: '__host-http-a', secure: true, httpOnly: true, path: '/admin' },
    /the prefix __Host-Http- requires the path '\/'/,
  ],
  [
    'COOKIE_PREFIX_BROKEN',
    '__Host-Http- with a domain',
    { name: '__Host-Http-a', secure: true, httpOnly: true, domain: 'example.com' },
    /the prefix __Host-Http- does not allow a domain/,
  ],
  ['COOKIE_TOO_LARGE', '4,097 bytes', { value: 'x'.repeat(4_097 - 'a=; Path=/'.length) }, /4097/],
];

describe('formatCookie', () => {
  it.each(invalid)('throws %s for %s', (code, _, cookie, message) => {
    const format = () => formatCookie({ ...plain, ...cookie });
    expect(format).toThrow(CookieError);
    expect(format).toThrow(message);
    expect(format).toThrow(expect.objectContaining({ code, status: 500, expose: false }));
  });

  it('reports the name of the cookie, but not its value', () => {
    const format = () => formatCookie({ ...plain, name: 'sid', value: 'secret\n' });
    expect(format).toThrow(/^Cannot set the cookie "sid": (?!.*secret)/);
  });

  it('keeps the error of the library as the cause', () => {
    const format = () => formatCookie({ ...plain, maxAge: Number.NaN });
    expect(format).toThrow(expect.objectContaining({ cause: expect.any(TypeError) }));
  });

  it('accepts 4,096 bytes', () => {
    const value = 'x'.repeat(4_096 - 'a=; Path=/'.length);
    expect(formatCookie({ ...plain, value })).toHaveLength(4_096);
  });

  it('accepts a path of 1,024 bytes', () => {
    const path = `/${'x'.repeat(1_023)}`;
    expect(formatCookie({ ...plain, path })).toBe(`a=1; Path=${path}`);
  });

  it('counts encoded bytes, not characters', () => {
    expect(() => formatCookie({ ...plain, value: 'é'.repeat(700) })).toThrow(/4210 bytes/);
  });

  it.each([
    ['__Host-a', {}],
    ['__Secure-a', { path: '/admin', domain: 'example.com' }],
    ['__Http-a', { path: '/admin', domain: 'example.com', httpOnly: true }],
    ['__Host-Http-a', { httpOnly: true }],
    ['__HostHttp-a', {}],
  ])('accepts %s with %j and Secure', (name, options) => {
    expect(formatCookie({ ...plain, ...options, name, secure: true })).toMatch(/; Secure$/);
  });
});
