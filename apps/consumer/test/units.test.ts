import { globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const packages = resolve(import.meta.dirname, '../../../packages');

/** Members in seconds, because that is the unit of a protocol, and why. */
const IN_SECONDS = [
  'core/http-error.ts: retryAfter', // Retry-After, RFC 9110
  'jwt/options.ts: clockTolerance',
  'jwt/options.ts: expiresIn', // exp and nbf, RFC 7519
  'metrics/create-metrics.ts: buckets', // base units of Prometheus
  'middleware/cors.ts: maxAge', // Access-Control-Max-Age
  'middleware/set-cookie.ts: maxAge', // Max-Age, RFC 6265
  'rate-limit/rate-limit.ts: duration', // w of RateLimit-Policy
  'rate-limit/rate-limit.ts: reset', // t of RateLimit
  'websocket/options.ts: maxMessageRate', // a rate, not a duration
];

/** Returns the public members of all packages whose comment has a unit, as `package/file: member`. */
function membersIn(hasUnit: (comment: string) => boolean): readonly string[] {
  const found = readdirSync(packages).flatMap((name) => {
    const readAll = (pattern: string) =>
      globSync(pattern, { cwd: join(packages, name) })
        .filter((file) => !file.endsWith('.test.ts'))
        .map((file) => [basename(file), readFileSync(join(packages, name, file), 'utf8')] as const);
    const api = readAll('api/*.md').map(([, report]) => report);
    return readAll('src/**/*.ts').flatMap(([file, source]) =>
      [...source.matchAll(MEMBER)]
        .filter(([, comment = '']) => hasUnit(comment))
        .filter(([, , member]) => api.some((report) => report.includes(`readonly ${member}`)))
        .map(([, , member]) => `${name}/${file}: ${member}`),
    );
  });
  return [...new Set(found)].sort();
}

const isMilliseconds = (comment: string): boolean => /millis/i.test(comment);

it('every public duration is in milliseconds, unless a protocol has seconds', () => {
  const isSeconds = (comment: string) => /\bseconds\b/i.test(comment) && !isMilliseconds(comment);
  expect(membersIn(isSeconds)).toEqual(IN_SECONDS);
});

it('no name means seconds in one place and milliseconds in another', () => {
  const names = new Set(IN_SECONDS.map((member) => member.split(': ')[1]));
  const both = membersIn(isMilliseconds).filter((one) => names.has(one.split(': ')[1]));
  expect(both).toEqual([]);
});

/** Matches a member that may be a number, after its comment. */
const MEMBER = /\/\*\*((?:(?!\*\/).)*)\*\/\s+readonly (\w+)\??: [^;]*\bnumber\b/gs;
