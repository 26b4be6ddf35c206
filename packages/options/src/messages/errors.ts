import { describeValue } from './words.js';

/** Numbers messages below a title, for an error that reports several problems. */
export function numberMessages(title: string, messages: readonly string[]): string {
  const width = String(messages.length).length;
  const texts = messages.map((message, index) => {
    const number = `  ${String(index + 1).padStart(width)}. `;
    return `${number}${message.replaceAll('\n', `\n${' '.repeat(number.length)}`)}`;
  });
  return [title, ...texts].join('\n\n');
}

/** Explains how to end up with one copy of a package. Starts in lower case. */
export function explainOneCopy(name: string): string {
  return `install one version of ${name}. \`npm ls ${name}\` shows which packages need which version, and \`npm dedupe\` removes unnecessary copies.`;
}

/**
 * Explains what reads a variable of a module that has not run yet, usually in a cycle of imports. Starts in lower case;
 * undefined for other messages.
 */
export function explainEarlyAccess(message: string): string | undefined {
  const [, name] = /^Cannot access '([^']+)' before initialization$/m.exec(message) ?? [];
  return (
    name &&
    `break the import cycle, or declare ${name} before its first use. For a constructor parameter, write @Inject(lazy(() => ${name})) and the type Lazy<${name}>.`
  );
}

/** Returns the message of an error, or describes another value that was thrown, also one that has no text. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  return typeof error === 'object' && error !== null ? describeValue(error) : String(error);
}

/** Makes properties of an error invisible to `console.log` and to reports of uncaught errors. */
export function hideProperties(error: Error, ...names: readonly string[]): void {
  for (const name of names) {
    if (Object.hasOwn(error, name)) Object.defineProperty(error, name, { enumerable: false });
  }
}

/** The properties of an error that are printed. */
const PRINTED = /^(?:name|message|stack|cause|errors|code|status(?:Code)?|expose)$/;

/**
 * Returns an error for `console.error`, without properties other than its code and status: drivers of databases, and
 * clients, store user data in them. The same goes for its causes, and for the errors of an AggregateError.
 *
 * @param keeps - Whether an error keeps all of its properties.
 * @returns The same error, if it has no others. Values that are no errors as they are. Text for a value that cannot be
 *   printed, such as one whose getters throw.
 */
export function printable(value: unknown, keeps?: (error: object) => boolean): unknown {
  try {
    const copy = withoutData(value, keeps, 16);
    // A class may print itself by private members, which a copy lacks.
    process.getBuiltinModule('node:util').inspect(copy);
    return copy;
  } catch {
    return textOf(value);
  }
}

function textOf(value: unknown): string {
  try {
    return String(value instanceof Error ? value.stack : value);
  } catch {
    return 'An error that cannot be printed.';
  }
}

function withoutData(
  value: unknown,
  keeps: ((error: object) => boolean) | undefined,
  depth: number,
): unknown {
  const isList = Array.isArray(value);
  // A copy of a DOMException would not have its message.
  if (!isList && (!(value instanceof Error) || value instanceof DOMException)) return value;
  if (depth === 0) return String(value);
  const copy = isList ? [] : Object.create(Object.getPrototypeOf(value));
  let isSame = true;
  for (const name of Object.getOwnPropertyNames(value)) {
    const enumerable = Object.prototype.propertyIsEnumerable.call(value, name);
    if (isList || !enumerable || PRINTED.test(name) || keeps?.(value)) {
      const whole = Reflect.get(value, name);
      const part = withoutData(whole, keeps, depth - 1);
      isSame &&= part === whole;
      Object.defineProperty(copy, name, { value: part, enumerable });
    } else isSame = false;
  }
  return isSame ? value : copy;
}

/** Prints what is {@link printable} of an error. It has one parameter: as `onError`, it may get other arguments. */
export function printError(error: unknown): void {
  console.error(printable(error));
}

/**
 * Returns a function that passes errors to the option of a call, or prints them without it. It prints what the option
 * throws or rejects with, too: its callers have nobody else to tell.
 *
 * @param option - Such as `onError of createJobs()`.
 */
export function reporterOf<Rest extends readonly unknown[]>(
  option: string,
  report?: (error: unknown, ...rest: Rest) => unknown,
): (error: unknown, ...rest: Rest) => void {
  return (error, ...rest) => {
    const fail = (cause: unknown): void => {
      const failure = new Error(`${option} failed.`, { cause });
      console.error(printable(error), printable(failure));
    };
    try {
      const result = report === undefined ? printError(error) : report(error, ...rest);
      if (typeof Object(result).then === 'function') Promise.resolve(result).catch(fail);
    } catch (cause) {
      fail(cause);
    }
  };
}
