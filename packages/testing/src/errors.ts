import { describeToken, type Token } from '@fairlead/di';
import { nearestName } from '@fairlead/options';

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

/** The application rejected a WebSocket handshake. */
export class RefusedHandshakeError extends Error {
  readonly code = 'HANDSHAKE_REFUSED';
  /** The response of the application, with an unread body. */
  readonly response: Response;

  /** @param path - The path of the handshake. */
  constructor(path: string, response: Response) {
    super(
      `The application refused the WebSocket handshake to ${path} with status ${response.status}.`,
    );
    this.name = 'RefusedHandshakeError';
    this.response = response;
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

/** Finds the token whose name is most similar. */
function nearest(token: Token, known: readonly Token[]): Token | undefined {
  const byName = new Map(known.map((other) => [plainName(other), other]));
  const name = nearestName(plainName(token), byName.keys());
  return name === undefined ? undefined : byName.get(name);
}

/** Returns the name of a token: `UserStore` for the class, `USER_STORE` for `token(USER_STORE)`. */
function plainName(token: Token): string {
  return describeToken(token).replace(/^(?:token|Symbol)\((.*)\)$/, '$1');
}
