import { describe, expect, it } from 'vitest';
import { Presence } from './presence.js';
import { Violation } from './violation.js';

/** Returns the presence of a user whose creation took from 1 to 2. */
function created(): Presence {
  const presence = new Presence(1);
  presence.seePresent({ start: 1, end: 2 });
  return presence;
}

describe('Presence', () => {
  it('rejects that a created user is missing when nobody deletes it', () => {
    expect(() => created().seeAbsent({ start: 3, end: 4 })).toThrow(Violation);
  });

  it('accepts a list without a user whose creation overlaps the request', () => {
    expect(() => created().seeAbsent({ start: 1, end: 4 })).not.toThrow();
  });

  it('rejects a user that appears after its deletion', () => {
    const presence = created();
    presence.deleted(presence.beginDeletion(3), { start: 3, end: 4 });
    expect(() => presence.seePresent({ start: 5, end: 6 })).toThrow(Violation);
  });

  it('rejects a second successful deletion', () => {
    const presence = created();
    const [first, second] = [presence.beginDeletion(3), presence.beginDeletion(4)];
    presence.deleted(first, { start: 3, end: 5 });
    expect(() => presence.deleted(second, { start: 4, end: 6 })).toThrow(Violation);
  });

  it('rejects that every deletion reports a missing user', () => {
    const presence = created();
    const [first, second] = [presence.beginDeletion(3), presence.beginDeletion(4)];
    presence.notDeleted(first, 'not found', { start: 3, end: 5 });
    expect(() => presence.notDeleted(second, 'not found', { start: 4, end: 6 })).toThrow(Violation);
  });

  it('accepts a missing user after a deletion without a response', () => {
    const presence = created();
    presence.beginDeletion(3).outcome = 'unknown';
    expect(() => presence.seeAbsent({ start: 5, end: 6 })).not.toThrow();
  });

  it('rejects a missing user that still existed after its only deletion had ended', () => {
    const presence = created();
    const deletion = presence.beginDeletion(3);
    deletion.outcome = 'unknown';
    deletion.end = 4;
    presence.seePresent({ start: 5, end: 6 });
    expect(() => presence.seeAbsent({ start: 7, end: 8 })).toThrow(Violation);
  });
});
