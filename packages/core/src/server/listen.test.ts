import { expect, it } from 'vitest';
import { supportsReusePort } from './listen.js';

it.each([
  ['22.11.0', false],
  ['22.12.0', true],
  ['23.0.0', false],
  ['23.1.0', true],
  ['24.0.0', true],
])('Node.js %s supports reusePort: %s', (version, supported) => {
  expect(supportsReusePort(version)).toBe(supported);
});
