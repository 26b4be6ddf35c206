/** Environment variables that are wrong. The message lists each, and what is allowed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly code = 'CONFIG_INVALID';
  /** One line for each wrong variable. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(['The environment is wrong:', ...problems.map((line) => `  ${line}`)].join('\n'));
    this.problems = problems;
  }
}
