import { assertLimit } from '../errors/assert-limit.js';
import { PayloadTooLargeError } from '../errors/http-errors.js';
import type { Middleware } from '../pipeline/middleware.js';
import { type BodyOptions, createBodyParser } from './body-parser.js';
import { forbiddenKey } from './parse-json.js';
import { decodeText } from './text.js';

/**
 * Finds in a field's name the keys that `json()` refuses, also as `a[__proto__]` or `a.__proto__`: the
 * parser does not expand such names, but the application may.
 */
const FORBIDDEN_NAME = /(?<![^.[\]])(?:(__proto__)|constructor[.[\]]+prototype)(?![^.[\]])/;

/** Options of {@link urlencoded}. */
export interface UrlencodedOptions extends BodyOptions {
  /** Largest number of fields; 1,000 by default. */
  readonly maxFields?: number;
}

/**
 * Reads `application/x-www-form-urlencoded` bodies into `ctx.body`: an object without prototype, in
 * which a field that occurs once is a string, and one that is repeated is an array of strings.
 *
 * The middleware answers 400 to bytes that are not UTF-8 and to a field named `__proto__` or
 * `constructor[prototype]`, 413 to a body past the limit or with too many fields, 415 to another
 * charset or an unknown content encoding.
 *
 * @throws {SetupError} `INVALID_LIMIT`, when the limit cannot be read.
 * @see URL Standard §5.1
 */
export function urlencoded(options: UrlencodedOptions = {}): Middleware {
  const { maxFields = 1_000 } = options;
  assertLimit('maxFields', maxFields);
  return createBodyParser(
    {
      name: 'urlencoded',
      accepts: (essence) => essence === 'application/x-www-form-urlencoded',
      encodings: ['utf-8'],
      parse: (bytes) => parseForm(decodeText(bytes, 'utf-8'), maxFields),
    },
    options,
  );
}

function parseForm(text: string, maxFields: number): Record<string, string | string[]> {
  if (hasMoreFields(text, maxFields)) {
    throw new PayloadTooLargeError(`The form has more than ${maxFields} fields.`, {
      code: 'TOO_MANY_FIELDS',
    });
  }
  const form: Record<string, string | string[]> = Object.create(null);
  // URLSearchParams would drop a question mark that the first name begins with.
  for (const [name, value] of new URLSearchParams(`?${text}`)) {
    const forbidden = name.includes('proto') && FORBIDDEN_NAME.exec(name);
    if (forbidden) throw forbiddenKey(forbidden[1] ?? 'constructor.prototype');
    const present = form[name];
    if (Array.isArray(present)) present.push(value);
    else form[name] = present === undefined ? value : [present, value];
  }
  return form;
}

/** Counts before the form is read, which takes far longer, and stops at the first field too many. */
function hasMoreFields(text: string, maxFields: number): boolean {
  let fields = 0;
  for (const _field of text.matchAll(/[^&]+/g)) {
    fields += 1;
    if (fields > maxFields) return true;
  }
  return false;
}
