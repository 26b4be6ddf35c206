import {
  type AnyContext,
  BadRequestError,
  type Context,
  type HttpError,
  type HttpErrorOptions,
  PayloadTooLargeError,
  UnprocessableContentError,
  UnsupportedMediaTypeError,
  type ValidationStatus,
} from '@fairlead/core';
import { throwTogether } from '@fairlead/core/extend';
import {
  arrayOf,
  boolean,
  either,
  essenceOf,
  findOptionProblems,
  fn,
  includesType,
  integer,
  isMediaRange,
  type Kinds,
  kind,
  object,
  oneOf,
} from '@fairlead/options';
import type { Disposition } from './disposition.js';
import {
  assertWithin,
  completeLimits,
  findLimitProblems,
  LIMIT,
  type MultipartLimits,
} from './limits.js';

/** What precedes the content of a part. */
export interface PartHead extends Disposition {
  readonly mediaType: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What is known of a file before its content arrives. All of it is what the client claims. */
export interface FileHead {
  /** The name of the file's field. */
  readonly name: string;
  /** The file name, without folders. */
  readonly fileName: string;
  /** The media type. Default `application/octet-stream`. */
  readonly mediaType: string;
  /** The headers of the part by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What the parts with one name must be like. */
export interface PartRule {
  /** Whether each part must be a field or a file. Default: both are accepted. */
  readonly kind?: 'field' | 'file';
  /** Whether the form must have such a part. Default `false`. */
  readonly required?: boolean;
  /** The largest number of such parts, at least 1. Default: as many as the limits allow. */
  readonly maxCount?: number;
  /** The largest size of each part, in bytes. Replaces the limits `fileSize` and `fieldSize`. */
  readonly maxSize?: number;
  /** The media types to accept, such as `'image/png'` or `'image/*'`. Default: all. */
  readonly mediaTypes?: readonly string[];
  /**
   * Whether to parse the content as JSON, whether it is sent as a field or as a file. It is limited to
   * `fieldSize`, unless `maxSize` says otherwise. Default `false`.
   */
  readonly json?: boolean;
}

/**
 * Decides whether to accept a file, before its content is read. Return `true` to accept it. Any other value
 * rejects the form with `FILE_REJECTED`, 400 or the application's `validationStatus`. Throw an `HttpError` to choose another response.
 */
export type FileFilter<Ctx extends AnyContext = Context> = (
  file: FileHead,
  ctx: Ctx,
) => boolean | Promise<boolean>;

/** Options of {@link parts}. */
export interface PartsOptions<Ctx extends AnyContext = Context> {
  /** The limits of a form. Each one has a default. */
  readonly limits?: MultipartLimits;
  /** Rules for parts by their name. Parts with other names only follow the limits and the filter. */
  readonly rules?: Readonly<Record<string, PartRule>>;
  /** The files to accept: media types such as `'image/*'`, or a function. Default: all. */
  readonly filter?: readonly string[] | FileFilter<Ctx>;
}

/** The resolved options of {@link parts}. */
export interface FormSettings {
  readonly limits: Required<MultipartLimits>;
  readonly rules: ReadonlyMap<string, PartRule>;
  readonly mediaTypes: readonly string[] | undefined;
  /** Whether a function decides about files. */
  readonly hasFilter: boolean;
}

const MEDIA_TYPES = arrayOf(
  kind('a media type', (value) => typeof value === 'string' && isMediaRange(value)),
  "an array of media types such as 'image/png' or 'image/*'",
);

const RULE: Kinds<PartRule> = {
  kind: oneOf('field', 'file'),
  required: boolean,
  maxCount: integer(1),
  maxSize: LIMIT,
  mediaTypes: MEDIA_TYPES,
  json: boolean,
};

const PARTS_OPTIONS: Kinds<PartsOptions> = {
  limits: object,
  rules: object,
  filter: either(MEDIA_TYPES, fn),
};

/**
 * Checks the options of a call, and fills in the defaults.
 *
 * @param call - The name of the function that received the options.
 * @param further - The options that only this function has.
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid, or a limit is not `Infinity` or a
 *   whole number of at least 0.
 */
export function resolveOptions<Options extends PartsOptions<never>>(
  call: string,
  options: Options,
  further: Kinds<Omit<Options, keyof PartsOptions>>,
): FormSettings {
  const problems = findOptionProblems<object>(`${call}()`, options, {
    ...PARTS_OPTIONS,
    ...further,
  });
  const rules = object.accepts(options?.rules) ? (options.rules ?? {}) : {};
  for (const [name, rule] of Object.entries(rules)) {
    problems.push(...findOptionProblems(`${call}({ rules: { ${name} } })`, rule, RULE));
  }
  const limits = object.accepts(options?.limits) ? options.limits : undefined;
  problems.push(...findLimitProblems(call, limits));
  throwTogether(problems);
  const { filter } = options;
  const complete = completeLimits(limits);
  throwTogether(findImpossible(call, complete, Object.entries(rules)));
  return {
    limits: complete,
    rules: new Map(Object.entries(rules)),
    mediaTypes: typeof filter === 'function' ? undefined : filter,
    hasFilter: typeof filter === 'function',
  };
}

type Rules = readonly (readonly [name: string, rule: PartRule])[];

/** Finds limits that a form with all required parts exceeds. */
function findImpossible(
  call: string,
  limits: Required<MultipartLimits>,
  rules: Rules,
): readonly string[] {
  const required = rules.filter(([, rule]) => rule.required === true);
  const count = (kind: PartRule['kind']) =>
    required.filter(([, rule]) => rule.kind === kind && rule.json !== true).length;
  const counts = { files: count('file'), fields: count('field'), parts: required.length };
  return Object.entries(counts).flatMap(([name, least]) => {
    const limit = limits[name as keyof typeof counts];
    if (limit >= least) return [];
    return `${call}() requires ${least} ${name}, but its limit of ${name} is ${limit}, so it rejects every form. Pass limits: { ${name}: ${least} }, or do not require the parts.`;
  });
}

/** Spellings that no client sends, and the registered media types. */
const MISSPELLED: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/svg': 'image/svg+xml',
  'image/tif': 'image/tiff',
  'text/json': 'application/json',
  'text/txt': 'text/plain',
};

/** Describes the rules that probably do not have the intended effect. */
export function describeRules(
  call: string,
  { limits, rules, mediaTypes = [] }: FormSettings,
): string | undefined {
  const end = 'or pass the middleware to intended().';
  const all = [...rules];
  for (const type of [...mediaTypes, ...all.flatMap(([, rule]) => rule.mediaTypes ?? [])]) {
    const meant = MISSPELLED[type.toLowerCase()];
    const listed = [mediaTypes, ...all.map(([, rule]) => rule.mediaTypes ?? [])];
    if (meant === undefined || listed.some((one) => one.includes(type) && one.includes(meant)))
      continue;
    return `${call}() accepts '${type}', which no browser sends. Write '${meant}', ${end}`;
  }
  for (const [name, { kind, maxCount = 0, maxSize = 0, json, mediaTypes: types }] of all) {
    const of = `${call}({ rules: { ${name} } })`;
    if (maxSize > limits.totalSize && Number.isFinite(maxSize))
      return `maxSize of ${of} is ${maxSize} bytes, but a whole form has at most ${limits.totalSize}. Pass a larger totalSize in limits, a smaller maxSize, ${end}`;
    const limit = kind === 'file' ? 'files' : kind === 'field' ? 'fields' : 'parts';
    if (maxCount > limits[limit] && json !== true)
      return `maxCount of ${of} is ${maxCount}, but a form has at most ${limits[limit]} ${limit}. Pass a larger limit, as in limits: { ${limit}: ${maxCount} }, a smaller maxCount, ${end}`;
    const isText = (type: string) => /^(?:\*|text)\/(?:\*|plain)$/i.test(type);
    if (kind === 'field' && json !== true && types !== undefined && !types.some(isText))
      return `${of} accepts only ${types.join(' and ')}, but browsers send fields as text/plain. Use kind: 'file', omit mediaTypes, ${end}`;
  }
  return undefined;
}

/** Checks the parts of one form against the rules. */
export class RuleCheck {
  readonly #settings: FormSettings;
  readonly #status: ValidationStatus;
  readonly #counts = new Map<string, number>();

  /** @param status - The application's `validationStatus`. */
  constructor(settings: FormSettings, status: ValidationStatus) {
    this.#settings = settings;
    this.#status = status;
  }

  /**
   * Checks a part before its content arrives.
   *
   * @returns A function that checks the size of the content so far.
   * @throws {BadRequestError} 400, or {@link UnprocessableContentError} 422, when the part has the wrong kind.
   * @throws {PayloadTooLargeError} 413, when there are too many parts with this name.
   * @throws {UnsupportedMediaTypeError} 415, when the media type is not accepted.
   */
  admit(head: PartHead): (size: number) => void {
    const { limits, rules, mediaTypes, hasFilter } = this.#settings;
    const { name, fileName } = head;
    const rule = rules.get(name);
    if (rule?.kind !== undefined && (fileName !== undefined) !== (rule.kind === 'file')) {
      const problem = `The part '${name}' must be a ${rule.kind}`;
      throw this.#invalid(`${problem}. Send it as one.`, { code: 'WRONG_PART_KIND' });
    }
    const isFile = fileName !== undefined && rule?.json !== true;
    // Browsers send such a part for an input without a file.
    if (isFile && fileName === '' && ((rule ?? mediaTypes) !== undefined || hasFilter)) {
      return (size) => {
        if (size > 0)
          throw this.#invalid('A file has content, but no name. Send its name.', {
            code: 'FILE_REJECTED',
          });
      };
    }
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    if (rule?.maxCount !== undefined && count > rule.maxCount) {
      throw tooMany(name, rule.maxCount);
    }
    const accepted = rule?.mediaTypes ?? (isFile ? mediaTypes : undefined);
    if (accepted !== undefined) assertMediaType(head, accepted);
    const maxSize = rule?.maxSize;
    if (maxSize !== undefined) return (size) => assertPartSize(name, size, maxSize);
    const limit = isFile ? 'fileSize' : 'fieldSize';
    return (size) => assertWithin(limits, limit, size);
  }

  /** Whether a part is a file input without a file, and has a rule. It counts as missing. */
  isMissing(head: PartHead): boolean {
    return head.fileName === '' && this.#settings.rules.has(head.name) && !this.isJson(head);
  }

  /** Whether a part is to be parsed as JSON. */
  isJson({ name }: PartHead): boolean {
    return this.#settings.rules.get(name)?.json === true;
  }

  /**
   * Lets a filter decide about a file.
   *
   * @throws {BadRequestError} 400, or {@link UnprocessableContentError} 422, when it rejects the file.
   */
  async filter(
    head: PartHead,
    filter: ((file: FileHead) => boolean | Promise<boolean>) | undefined,
  ): Promise<void> {
    const { name, fileName, mediaType, headers } = head;
    if (filter === undefined || !fileName || this.isJson(head)) return;
    if ((await filter({ name, fileName, mediaType, headers })) === true) return;
    const message = `The file in '${name}' is not accepted. Send another file.`;
    throw this.#invalid(message, { code: 'FILE_REJECTED' });
  }

  /** @throws {BadRequestError} 400, or {@link UnprocessableContentError} 422, when a required part is missing. */
  assertComplete(): void {
    for (const [name, { required }] of this.#settings.rules) {
      if (required !== true || this.#counts.has(name)) continue;
      throw this.#invalid(`The form has no '${name}'. Add it.`, { code: 'MISSING_PART' });
    }
  }

  #invalid(message: string, options: HttpErrorOptions): HttpError {
    const Invalid = this.#status === 422 ? UnprocessableContentError : BadRequestError;
    return new Invalid(message, options);
  }
}

function assertMediaType({ name, mediaType }: PartHead, accepted: readonly string[]): void {
  const essence = essenceOf(mediaType);
  if (accepted.some((range) => includesType(range, essence))) return;
  throw new UnsupportedMediaTypeError(
    `The part '${name}' has a media type that is not accepted. Send ${accepted.join(', ')}.`,
    { code: 'UNSUPPORTED_PART_TYPE' },
  );
}

function assertPartSize(name: string, size: number, maxSize: number): void {
  if (size <= maxSize) return;
  throw new PayloadTooLargeError(
    `The part '${name}' is larger than ${maxSize} bytes. Send a smaller one.`,
    { code: 'PART_TOO_LARGE' },
  );
}

function tooMany(name: string, maxCount: number): PayloadTooLargeError {
  return new PayloadTooLargeError(
    `The form has more than ${maxCount} parts named '${name}'. Send fewer.`,
    { code: 'TOO_MANY_VALUES' },
  );
}
