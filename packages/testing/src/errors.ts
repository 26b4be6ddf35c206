import { describeToken, type Token } from '@fairlead/di';

/** A fake lacks a member that the application reads. */
export class MissingMemberError extends Error {
  readonly code = 'MISSING_FAKE_MEMBER';
  /** The name of the member. */
  readonly member: string;

  /**
   * @param token - The overridden token.
   * @param member - The name of the member.
   */
  constructor(token: Token, member: string) {
    const name = describeToken(token);
    super(
      `The override of ${name} has no member '${member}'.\n` +
        '  Fix: add the member to the override, or set it to undefined if the application may find it missing.',
    );
    this.name = 'MissingMemberError';
    this.member = member;
  }
}

/** Overrides have no effect, because nothing uses their tokens. */
export class UnusedOverrideError extends Error {
  readonly code = 'UNUSED_OVERRIDE';
  /** The tokens of the overrides. */
  readonly tokens: readonly Token[];

  /**
   * @param tokens - At least one.
   * @param known - The tokens of the application, for suggestions.
   */
  constructor(tokens: readonly Token[], known: readonly Token[]) {
    const names = tokens.map((token) => {
      const similar = nearest(token, known);
      const suggestion = similar === undefined ? '' : ` (did you mean ${describeToken(similar)}?)`;
      return `${describeToken(token)}${suggestion}`;
    });
    const fix =
      known.length === 0
        ? 'pass the container of the test to the application, or remove the override.'
        : 'override the token that the application uses, or remove the override.';
    super(
      `Nothing uses the override of ${names.join(', or of ')}: the application neither registered nor ` +
        `resolved the token, and nothing that it started depends on it.\n  Fix: ${fix}`,
    );
    this.name = 'UnusedOverrideError';
    this.tokens = Object.freeze([...tokens]);
  }
}

/** Finds the token whose name is most similar, ignoring case and punctuation. */
function nearest(token: Token, known: readonly Token[]): Token | undefined {
  const name = plainName(token);
  const [best] = known
    .map((other) => ({ other, distance: distanceOf(name, plainName(other)) }))
    .filter(({ distance }) => distance <= Math.floor(name.length / 4))
    .sort((a, b) => a.distance - b.distance);
  return best?.other;
}

/** Returns the name of a token in lower case: `userstore` for `UserStore` and `token(USER_STORE)`. */
function plainName(token: Token): string {
  const text = describeToken(token).replace(/^(?:token|Symbol)\((.*)\)$/, '$1');
  return text.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();
}

/** Counts the insertions, deletions and substitutions that turn one text into another. */
function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, character] of [...from].entries()) {
    const next = [index + 1];
    for (const [column, other] of [...to].entries()) {
      const [above = 0, left = 0, diagonal = 0] = [row[column + 1], next[column], row[column]];
      next.push(Math.min(above + 1, left + 1, diagonal + (character === other ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
