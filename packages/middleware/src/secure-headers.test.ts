import { createApp, errorHandler, NotFoundError } from '@fairlead/core';
import { errorOf, setupError } from '@fairlead/test-support/option-tests';
import { describe, expect, it } from 'vitest';
import { secureHeaders } from './secure-headers.js';

describe('secureHeaders()', () => {
  it('covers errors, and handlers and options override it', async () => {
    const app = createApp()
      .use(errorHandler(), secureHeaders({ 'x-frame-options': false, 'X-Own': 'yes' }))
      .use((ctx) => {
        ctx.set('Referrer-Policy', 'origin');
        throw new NotFoundError();
      });
    const { headers } = await app.request('/');
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(headers.get('Strict-Transport-Security')).toBe('max-age=31536000; includeSubDomains');
    expect(headers.get('Origin-Agent-Cluster')).toBe('?1');
    expect(headers.get('X-Permitted-Cross-Domain-Policies')).toBe('none');
    expect(headers.get('X-Frame-Options')).toBeNull();
    expect(headers.get('X-Own')).toBe('yes');
    expect(headers.get('Referrer-Policy')).toBe('origin');
  });
});

describe('a nonce', () => {
  const policy = "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'";
  const app = createApp().use(
    errorHandler(),
    secureHeaders({ 'Content-Security-Policy': policy, 'X-Nonce': '{nonce}' }),
    (ctx) => ctx.json(ctx.state.cspNonce),
  );

  it('is in the headers and in the state, and differs in each request', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => app.request('/')));
    const nonces = await Promise.all(
      responses.map(async (response) => {
        const nonce = String(await response.json());
        expect(response.headers.get('Content-Security-Policy')).toBe(
          policy.replaceAll('{nonce}', nonce),
        );
        expect(response.headers.get('X-Nonce')).toBe(nonce);
        expect(nonce).toMatch(/^[A-Za-z\d+/]{22}==$/);
        return nonce;
      }),
    );
    expect(new Set(nonces).size).toBe(20);
  });

  it('is not created without a place for it', async () => {
    const plain = createApp().use(secureHeaders(), (ctx) => ctx.json(ctx.state.cspNonce ?? null));
    expect(await (await plain.request('/')).json()).toBeNull();
  });
});

describe('secureHeaders()', () => {
  it.each<[unknown, ...string[]]>([
    [null, 'options of secureHeaders() must be an object: got null.'],
    [
      { 'X-Frame-Option': false },
      "secureHeaders() cannot omit 'X-Frame-Option', which it does not set. Did you mean 'X-Frame-Options'?",
    ],
    [
      { 'X-Powered-By': false },
      "secureHeaders() cannot omit 'X-Powered-By', which it does not set. Remove it.",
    ],
    [
      { contentSecurityPolicy: "default-src 'self'" },
      "secureHeaders() cannot set 'contentSecurityPolicy'. Did you mean 'Content-Security-Policy'?",
    ],
    [{ 'bad header': 'a' }, "secureHeaders() cannot set 'bad header'. Use the name of a header."],
    [
      { 'X-A': 'a\nb', 'X-Frame-Options': undefined, 'x-content-type-options': true },
      "X-A of secureHeaders() must be false, or a string without control characters: got 'a\nb'.",
      'X-Frame-Options of secureHeaders() must be false, or a string without control characters: got undefined.',
      'x-content-type-options of secureHeaders() must be false, or a string without control characters: got true.',
    ],
  ])('rejects %o', async (changes, ...messages) => {
    expect(await errorOf(secureHeaders, changes)).toEqual(
      setupError('INVALID_OPTION', ...messages),
    );
  });

  it('accepts other headers, even with names that resemble the default ones', () => {
    const others = {
      'Cross-Origin-Embedder-Policy': 'require-corp',
      'Content-Security-Policy-Report-Only': "default-src 'self'",
      'permissions-policy': 'camera=()',
    };
    expect(() => secureHeaders(others)).not.toThrow();
  });
});
