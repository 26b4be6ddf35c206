import { SETTINGS } from './settings.js';

/**
 * Maximum lengths of a name and an email in UTF-16 code units, the unit of `String.length` and of the
 * `maxlength` of an HTML form.
 */
export interface UserLimits {
  readonly name: number;
  readonly email: number;
}

/**
 * The limits that the environment sets. They are read at import because decorators receive their schemas
 * then. An invalid variable counts as unset here, and `readConfig()` ends the start with a message.
 */
export const USER_LIMITS: UserLimits = Object.freeze({
  name: readLimit('MAX_NAME_LENGTH'),
  email: readLimit('MAX_EMAIL_LENGTH'),
});

function readLimit(name: 'MAX_NAME_LENGTH' | 'MAX_EMAIL_LENGTH'): number {
  const limit = SETTINGS.shape[name];
  return limit.catch(limit.parse(undefined)).parse(process.env[name]);
}
