import type { Context } from '@fairlead/core';
import { expect, it } from 'vitest';
import { cookieSessions } from './cookie-sessions.js';
import { OpenSession } from './session.js';

const ctx = { res: { headersSent: false } } as Context;

it('remembers the last 10,000 sessions that have ended', () => {
  const lifetimes = { idleTimeout: 1_800_000, lifetime: 43_200_000 };
  const sessions = cookieSessions(['a key of at least thirty-two bytes!!'], 'session', lifetimes);
  const save = (change: (session: OpenSession<never>) => void, cookie = '') => {
    const session = new OpenSession(ctx, sessions.find(cookie) as never);
    change(session);
    const value = sessions.save(session as never);
    sessions.onCookie?.(session as never);
    return String(value);
  };
  const begin = () => save((session) => session.set('a', 1));
  const first = begin();
  const second = begin();
  for (const cookie of [first, second]) save((session) => session.destroy(), cookie);
  for (let ended = 2; ended <= 10_000; ended += 1) save((session) => session.destroy(), begin());
  expect(sessions.find(second)).toBeUndefined();
  expect(sessions.find(first)).toBeDefined();
});
