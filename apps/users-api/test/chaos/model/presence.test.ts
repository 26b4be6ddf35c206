import { describe, expect, it } from 'vitest';
import { Presence } from './presence.js';
import { Violation } from './violation.js';

/** A user that was created from 1 to 2. */
function created(): Presence {
  const presence = new Presence(1);
  presence.seePresent({ start: 1, end: 2 });
  return presence;
}

describe('Presence', () => {
  it('refuses that a created user is missing while nobody deletes it', () => {
    expect(() => created().seeAbsent({ start: 3, end: 4 })).toThrow(Violation);
  });

  it('takes a list without a user whose creation it overlaps', () => {
    expect(() => created().seeAbsent({ start: 1, end: 4 })).not.toThrow();
  });

  it('refuses a user that is shown after its deletion', () => {
    const presence = created();
    presence.deleted(presence.beginDeletion(3), { start: 3, end: 4 });
    expect(() => presence.seePresent({ start: 5, end: 6 })).toThrow(Violation);
  });

  it('refuses two deletions that succeed', () => {
    const presence = created();
    const [first, second] = [presence.beginDeletion(3), presence.beginDeletion(4)];
    presence.deleted(first, { start: 3, end: 5 });
    expect(() => presence.deleted(second, { start: 4, end: 6 })).toThrow(Violation);
  });

  it('refuses deletions none of which succeeds', () => {
    const presence = created();
    const [first, second] = [presence.beginDeletion(3), presence.beginDeletion(4)];
    presence.notDeleted(first, 'not found', { start: 3, end: 5 });
    expect(() => presence.notDeleted(second, 'not found', { start: 4, end: 6 })).toThrow(Violation);
  });

  it('takes a missing user after a deletion that was not answered', () => {
    const presence = created();
    presence.beginDeletion(3).outcome = 'unknown';
    expect(() => presence.seeAbsent({ start: 5, end: 6 })).not.toThrow();
  });

  it('refuses a missing user that was shown after an unanswered deletion was over', () => {
    const presence = created();
    const deletion = presence.beginDeletion(3);
    deletion.outcome = 'unknown';
    deletion.end = 4;
    presence.seePresent({ start: 5, end: 6 });
    expect(() => presence.seeAbsent({ start: 7, end: 8 })).toThrow(Violation);
  });
});
