import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import type { Context, Middleware } from '@fairlead/core';
import {
  type Doubt,
  describe,
  describeFactories,
  descriptionOf,
  isBodyRead,
  isForMount,
  isSecured,
  isUnknown,
  type Placement,
} from '@fairlead/core/extend';
import { fn, kind, named } from '@fairlead/options';
import { describeForm } from './describe-form.js';
import { describeUnreachable } from './limits.js';
import { type FilePart, isMultipart, type Part, readParts } from './parts.js';
import {
  describeRules,
  type FileHead,
  type PartRule,
  type PartsOptions,
  RuleCheck,
  resolveOptions,
} from './rules.js';
import { type StoredFile, TempFiles } from './temp-files.js';

/** Options of {@link multipart}. */
export interface MultipartOptions extends PartsOptions {
  /**
   * Whether to write files to a temporary folder instead of holding them in memory. `true` uses the
   * temporary directory of the operating system; a string is another directory. The files are removed when
   * the request has ended, however it ends. Default `false`.
   */
  readonly tempFiles?: boolean | string;
  /**
   * Decides which requests are left unread, for a later `multipart()` with other limits, or `parts()`.
   * Default: none.
   */
  readonly skip?: (ctx: Context) => boolean;
}

/** Methods whose requests must have the required parts. Other methods have a body only by exception. */
const SENDS_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'QUERY']);

const TEMP_FILES = kind(
  'true, false or an existing directory',
  (value) => typeof value === 'boolean' || isDirectory(value),
);

function isDirectory(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  return statSync(value, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** A file in memory. */
export interface UploadedFile extends Omit<FileHead, 'name'> {
  /** The content of the file. */
  readonly bytes: Buffer;
}

/** A field or a file of a form. */
export type FormValue = string | UploadedFile | StoredFile;

type Rules = Readonly<Record<string, PartRule>>;

/** The values of the parts that follow a rule. */
type ValuesOf<Rule extends PartRule, File> = Rule extends { readonly json: true }
  ? unknown
  : Rule extends { readonly maxCount: 1 }
    ? ValueOf<Rule, File>
    : ValueOf<Rule, File> | ValueOf<Rule, File>[];

type ValueOf<Rule extends PartRule, File> = Rule extends { readonly kind: 'field' }
  ? string
  : Rule extends { readonly kind: 'file' }
    ? File
    : string | File;

type RequiredNames<All extends Rules> = {
  [Name in keyof All]: All[Name] extends { readonly required: true } ? Name : never;
}[keyof All];

/**
 * The type of the `ctx.body` that {@link multipart} sets by rules: `ctx.body as FormOf<typeof rules>`. Declare the rules
 * `as const`. Without a required part, `ctx.body` can also be undefined, for an empty body.
 *
 * @typeParam All - The rules.
 * @typeParam File - {@link StoredFile} with `tempFiles`.
 */
export type FormOf<All extends Rules, File = UploadedFile> = {
  [Name in RequiredNames<All>]: ValuesOf<All[Name], File>;
} & {
  [Name in Exclude<keyof All, RequiredNames<All>>]?: ValuesOf<All[Name], File>;
};

/**
 * Reads `multipart/form-data` bodies, including files, into `ctx.body`: an object without a
 * prototype, which maps each name to a {@link FormValue}, or to an array of them when the name is
 * repeated. A part whose rule has `json: true` is the parsed value. An empty body leaves `ctx.body`
 * undefined. A form uses up to `totalSize` bytes of memory, or of disk space with `tempFiles`.
 *
 * With `rules`, every body must be such a form, and OpenAPI documents describe it. Without them, bodies of
 * other media types, and bodies that have been read already, are left alone.
 *
 * The middleware rejects a malformed, truncated or forbidden body with 400, one that breaks a rule with 400 or the
 * application's `validationStatus`, a body that exceeds a limit with 413, and a compressed one, one with a wrong part, or, with `rules`, one of
 * another media type with 415.
 *
 * As middleware of an application, it reads uploads before the middleware after it has checked who sends
 * them. Register it after authentication, or on the routes that take uploads.
 *
 * @throws {SetupError} `INVALID_OPTION`, when an option or a limit is unknown or invalid.
 * @see RFC 7578
 */
export function multipart(options: MultipartOptions = {}): Middleware {
  const settings = resolveOptions('multipart', options, { tempFiles: TEMP_FILES, skip: fn });
  const { tempFiles = false, skip } = options;
  const directory = resolve(typeof tempFiles === 'string' ? tempFiles : tmpdir());
  // Otherwise, a client could send a body that follows no rule in another media type.
  const needsForm = settings.rules.size > 0;
  const middleware: Middleware = named('multipart', (ctx, next) => {
    if (skip?.(ctx) === true || isForMount(ctx)) return next();
    if (!ctx.hasBody) {
      if (SENDS_BODY.has(ctx.method))
        new RuleCheck(settings, ctx.validationStatus).assertComplete();
      return next();
    }
    if (!needsForm && (isBodyRead(ctx) || !isMultipart(ctx))) return next();
    const source = readParts(ctx, settings, options.filter);
    const reading =
      tempFiles === false ? readForm(source, readFile) : storeForm(ctx, source, directory);
    return reading.then((form) => {
      ctx.body = form;
      return next();
    });
  });
  const form = needsForm && { form: describeForm(settings, skip === undefined) };
  return describe(middleware, {
    role: 'input',
    warning: () =>
      describeUnreachable('multipart', settings.limits) ?? describeRules('multipart', settings),
    check: findLaterCheck,
    reads: { mediaTypes: ['multipart/form-data'], ...form },
  });
}

/** Finds a check of the user that runs later, but could run first, so that the server reads the uploads of anyone. */
function findLaterCheck({ routes }: Placement): Doubt | undefined {
  for (const { method, pattern, before, after } of routes) {
    // An unknown function may check the user.
    if (before.some((one) => isUnknown(one) || isSecured(one))) continue;
    const { name, middleware = name } = descriptionOf(after.find(isMovable)) ?? {};
    if (name === undefined) continue;
    const message = `multipart() reads uploads before ${name} checks who sends them, for example for ${method} ${pattern}. Register ${middleware} before multipart(), or read the form in the handler with parts(). If anyone may upload, pass multipart() to intended().`;
    return { code: 'FAIRLEAD_ORDER', message };
  }
  return undefined;
}

/** Whether a check of the user is middleware, which has the parameter `next`, or a guard that exists as middleware. */
function isMovable(one: object): boolean {
  const isMiddleware = typeof one === 'function' && one.length > 1;
  return isSecured(one) && (isMiddleware || descriptionOf(one)?.middleware !== undefined);
}

describeFactories(multipart);

async function readForm(
  source: AsyncIterable<Part>,
  read: (part: FilePart) => Promise<FormValue>,
): Promise<Record<string, unknown>> {
  // By name, because a JSON value may be an array, too.
  const values = new Map<string, unknown[]>();
  for await (const part of source) {
    const value = part.kind === 'file' ? await read(part) : part.value;
    const earlier = values.get(part.name);
    if (earlier === undefined) values.set(part.name, [value]);
    else earlier.push(value);
  }
  const form: Record<string, unknown> = Object.create(null);
  for (const [name, all] of values) form[name] = all.length === 1 ? all[0] : all;
  return form;
}

async function readFile(part: FilePart): Promise<UploadedFile> {
  const { fileName, mediaType, headers, stream } = part;
  return { fileName, mediaType, headers, bytes: Buffer.concat(await stream.toArray()) };
}

/** Reads a form with its files on disk until the request has ended. */
function storeForm(
  ctx: Context,
  source: AsyncIterable<Part>,
  directory: string,
): Promise<Record<string, unknown>> {
  // Reading the files again to compare them would take longer.
  const files = new TempFiles(directory, ctx.get('Idempotency-Key') !== undefined);
  const reading = readForm(source, (part) => files.store(part));
  // A client that leaves ends the request while a file is still being written.
  ctx.onFinish(() => Promise.allSettled([reading]).then(() => files.remove()));
  return reading;
}
