import { integer, type Kinds } from '@fairlead/options';
import { PayloadTooLargeError } from '../errors/http-error.js';
import { assertOptions, type OptionCodes } from '../options.js';
import type { Middleware } from '../pipeline/pipeline.js';
import { BODY_CODES, BODY_OPTIONS, type BodyOptions, createBodyParser } from './body-parser.js';
import { forbiddenKey } from './json.js';
import { decodeText } from './text.js';

/**
 * Matches field names that contain a key which `json()` forbids, including `a[__proto__]` and
 * `a.__proto__`. The parser does not expand such names, but the application may.
 */
const FORBIDDEN_NAME = /(?<![^.[\]])(?:(__proto__)|constructor[.[\]]+prototype)(?![^.[\]])/;

/** Options of {@link urlencoded}. */
export interface UrlencodedOptions extends BodyOptions {
  /** Maximum number of fields; 1,000 by default. */
  readonly maxFields?: number;
}

const URLENCODED_OPTIONS: Kinds<UrlencodedOptions> = {
  ...BODY_OPTIONS,
  maxFields: integer(0, undefined, 'number of fields'),
};

const URLENCODED_CODES: OptionCodes<UrlencodedOptions> = {
  ...BODY_CODES,
  maxFields: 'INVALID_LIMIT',
};

/**
 * Parses `application/x-www-form-urlencoded` bodies into `ctx.body`, an object without a prototype. A
 * field that occurs once is a string. A repeated field is an array of strings.
 *
 * The middleware throws 400 for invalid UTF-8 and for a field named `__proto__` or
 * `constructor[prototype]`, 413 for a body past the limit or with too many fields, and 415 for another
 * charset or an unknown content encoding.
 *
 * @throws {SetupError} `INVALID_LIMIT`, when `limit` or `maxFields` is invalid; `INVALID_MEDIA_TYPE`, when
 *   `type` is; `INVALID_OPTION`, when another option is unknown or invalid.
 * @see URL Standard §5.1
 */
export function urlencoded(options: UrlencodedOptions = {}): Middleware {
  assertOptions('urlencoded()', options, URLENCODED_OPTIONS, URLENCODED_CODES);
  const { maxFields = 1_000 } = options;
  return createBodyParser(
    {
      name: 'urlencoded',
      mediaTypes: ['application/x-www-form-urlencoded'],
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
  // URLSearchParams drops a leading question mark, which may belong to the first name.
  for (const [name, value] of new URLSearchParams(`?${text}`)) {
    const forbidden = name.includes('proto') && FORBIDDEN_NAME.exec(name);
    if (forbidden) throw forbiddenKey(forbidden[1] ?? 'constructor.prototype');
    const present = form[name];
    if (Array.isArray(present)) present.push(value);
    else form[name] = present === undefined ? value : [present, value];
  }
  return form;
}

/** Whether a form has more fields than allowed. Counting them is much faster than parsing them. */
function hasMoreFields(text: string, maxFields: number): boolean {
  let fields = 0;
  for (const _field of text.matchAll(/[^&]+/g)) {
    fields += 1;
    if (fields > maxFields) return true;
  }
  return false;
}
