import { expect, it } from 'vitest';
import { assertLocal } from './support/registry.js';

it.each(['http://127.0.0.1:4873/', 'http://localhost:4873/', 'http://[::1]:4873/'])(
  'the rehearsal of a release may publish to %s',
  (registry) => {
    expect(() => assertLocal(registry)).not.toThrow();
  },
);

it.each([
  'https://registry.npmjs.org/',
  'http://registry.npmjs.org/',
  'https://localhost/',
  'http://localhost.example.com/',
  'http://user:localhost@example.com/',
  'http://192.168.0.7:4873/',
  'undefined',
])('the rehearsal of a release refuses %s', (registry) => {
  expect(() => assertLocal(registry)).toThrow();
});
