import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Application, listen } from '@fairlead/core';
import { freePort } from '@fairlead/test-support/free-port';
import { exportJWK, type JWK, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import { onTestFinished } from 'vitest';

export const ISSUER = 'https://issuer.example';
export const AUDIENCE = 'https://api.example';
export const SECRET = 'a secret of thirty-two bytes, or more';
export const EXPECTED = { issuer: ISSUER, audience: AUDIENCE };

/** The claims of a valid token. */
export const claims = (): JWTPayload => ({
  iss: ISSUER,
  aud: AUDIENCE,
  sub: 'ada',
  exp: Math.floor(Date.now() / 1_000) + 60,
});

/** Signs claims that replace those of a valid token. */
export async function sign(
  changed: JWTPayload = {},
  key: KeyObject | Uint8Array = Buffer.from(SECRET),
  header: JWTHeaderParameters = { alg: 'HS256' },
): Promise<string> {
  return new SignJWT({ ...claims(), ...changed }).setProtectedHeader(header).sign(key);
}

/** A token with any header and signature. */
export function forge(header: object, payload: object = claims(), signature = ''): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  return `${encode(header)}.${encode(payload)}.${signature}`;
}

export interface Pair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** The public key. */
  readonly jwk: JWK;
}

export async function createPair(kid: string): Promise<Pair> {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...pair, jwk: { ...(await exportJWK(pair.publicKey)), kid, alg: 'ES256' } };
}

export const signWith = ({ privateKey, jwk }: Pair, header: object = {}): Promise<string> =>
  sign({}, privateKey, { alg: 'ES256', kid: String(jwk.kid), ...header });

/** Serves a key set on a free port until the test finishes. */
export async function serveKeys(listener: RequestListener) {
  let requests = 0;
  const server = createServer((req, res) => {
    requests += 1;
    listener(req, res);
  });
  const start = (port: number) =>
    new Promise<number>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
    });
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const port = await start(await freePort());
  onTestFinished(stop);
  return {
    url: `http://127.0.0.1:${port}/jwks.json`,
    requests: () => requests,
    stop,
    start: () => start(port),
  };
}

/** Listens on a free port until the test finishes. */
export async function serve(app: Application) {
  const server = await listen(app, 0, { host: '127.0.0.1' });
  onTestFinished(() => server.close({ timeout: 0 }));
  return server;
}

/** Returns what a client sees of a rejection. */
export async function rejectionOf(response: Response) {
  const { code, detail } = (await response.json()) as { code: string; detail: string };
  return {
    status: response.status,
    code,
    detail,
    challenge: response.headers.get('WWW-Authenticate'),
  };
}
