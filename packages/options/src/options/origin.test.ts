import { expect, it } from 'vitest';
import { isOrigin, originOf } from './origin.js';

it.each([
  'https://app.example.com',
  'http://localhost:3000',
  'http://[::1]:8080',
  'capacitor://localhost',
  'chrome-extension://abcdefghijklmnop',
  'app://',
])('%s is an origin', (text) => {
  expect(isOrigin(text)).toBe(true);
});

it.each([
  'https://app.example.com/',
  'https://app.example.com:443',
  'http://localhost:80',
  'https://APP.example.com',
  'https://user@app.example.com',
  'https://*.example.com',
  'app://*',
  'app.example.com',
  'wss://app.example.com',
  'ws://localhost',
  'app://host/path',
  'null',
  '*',
  '',
  undefined,
])('%s is none', (value) => {
  expect(isOrigin(value)).toBe(false);
});

it.each([
  ['https', 'App.Example.com:443', 'https://app.example.com'],
  ['http', 'localhost:3000', 'http://localhost:3000'],
  ['http', '[::1]:80', 'http://[::1]'],
  ['http', '', undefined],
])('an application at %s and the host %j has the origin %s', (protocol, host, origin) => {
  expect(originOf(protocol, host)).toBe(origin);
});
