import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import type { Context } from '@fairlead/core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Cipher, cookieSessions } from './cookie-sessions.js';
import { OpenSession } from './session.js';

const ctx = { res: { headersSent: false } } as Context;

/** Sessions in cookies, and a function that saves one after a change and returns its cookie. */
function createSessions() {
  const lifetimes = { idleTimeout: 1_800_000, lifetime: 43_200_000 };
  const sessions = cookieSessions(['a key of at least thirty-two bytes!!'], 'session', lifetimes);
  const save = (change: (session: OpenSession<never>) => void, cookie = '') => {
    const session = new OpenSession(ctx, sessions.find(cookie) as never);
    change(session);
    const value = sessions.save(session as never);
    sessions.onCookie?.(session as never);
    return String(value);
  };
  return { sessions, save, begin: () => save((session) => session.set('a', 1)) };
}

it('remembers the last 10,000 sessions that have ended', () => {
  const { sessions, save, begin } = createSessions();
  const [first, second] = [begin(), begin()];
  for (const cookie of [first, second]) save((session) => session.destroy(), cookie);
  for (let ended = 2; ended <= 10_000; ended += 1) save((session) => session.destroy(), begin());
  expect(sessions.find(second)).toBeUndefined();
  expect(sessions.find(first)).toBeDefined();
});

it('decrypts the last 1,000 cookies once', () => {
  const { sessions, begin } = createSessions();
  const membersOf = (cookie: string) => (sessions.find(cookie) as { members: object }).members;
  const cookies = Array.from({ length: 1_000 }, begin);
  const first = cookies.map(membersOf);
  expect(cookies.every((cookie, index) => membersOf(cookie) === first[index])).toBe(true);
  membersOf(begin());
  expect(membersOf(cookies[1] ?? '')).toBe(first[1]);
  expect(membersOf(cookies[0] ?? '')).not.toBe(first[0]);
});

describe('a cipher', () => {
  const create = (maxCookies?: number) => new Cipher('secret', 'context', maxCookies);

  it('derives another key once a key has encrypted the maximum of cookies', () => {
    const cipher = create(3);
    const texts = Array.from({ length: 7 }, (_, index) => `text ${index}`);
    const cookies = texts.map((text) => cipher.encrypt(text));
    const salts = cookies.map((cookie) => cookie.slice(0, 32));
    expect(salts.map((salt) => salts.indexOf(salt))).toEqual([0, 0, 0, 3, 3, 3, 6]);
    expect(cookies.map((cookie) => create().decrypt(cookie))).toEqual(texts);
  });

  it('derives the keys of the last 1,000 other processes once, and those of forged cookies again', () => {
    const derive = vi.spyOn(crypto, 'hkdfSync');
    syncBuiltinESMExports();
    onTestFinished(() => {
      derive.mockRestore();
      syncBuiltinESMExports();
    });
    const cipher = create();
    /** Returns how many keys it takes to decrypt cookies. */
    const derivedBy = (...cookies: readonly string[]): number => {
      derive.mockClear();
      for (const cookie of cookies) cipher.decrypt(cookie);
      return derive.mock.calls.length;
    };
    const [forged = '', ...cookies] = Array.from({ length: 1_002 }, () => create().encrypt('text'));
    const damaged = `${forged.slice(0, -4)}AAAA`;
    expect(derivedBy(damaged, damaged, forged)).toBe(3);
    expect(derivedBy(...cookies.slice(0, 999))).toBe(999);
    expect(derivedBy(...cookies.slice(0, 999), forged)).toBe(0);
    expect(derivedBy(...cookies.slice(999), ...cookies.slice(999))).toBe(2);
    expect(derivedBy(...cookies.slice(1))).toBe(0);
    expect(derivedBy(forged)).toBe(1);
  });
});
