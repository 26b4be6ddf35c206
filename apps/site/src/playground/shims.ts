import type { METHODS as Methods, STATUS_CODES as StatusCodes } from 'node:http';

/** What the playground shows of Node.js to the packages: as much as a start needs. */
declare const METHODS: typeof Methods;
declare const STATUS_CODES: typeof StatusCodes;

/** The folder of the program. */
const FOLDER = '/app';

/** The URL that stacks show for the program. */
export const PROGRAM_URL = `file://${FOLDER}/app.js`;

type Text = (text: string, isWarning: boolean) => void;

let write: Text = () => {};
let finish: (code: number) => void = () => {};

/** Sends what the program prints, and its exit code, to the playground. */
export function connectProgram(print: Text, exit: (code: number) => void): void {
  let hasExited = false;
  write = (text, isWarning) => {
    if (!hasExited) print(text, isWarning);
  };
  finish = (code) => {
    if (!hasExited) exit(code);
    hasExited = true;
  };
}

const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/** Formats a value as Node.js prints it, but an error with those lines of its stack only that are of the program. */
export function inspect(value: unknown): string {
  if (value instanceof Error) {
    const custom: unknown = Reflect.get(value, INSPECT);
    const { stack = `${value}`, cause } = value;
    const lines = (typeof custom === 'function' ? String(custom.call(value)) : stack).split('\n');
    const own = lines.filter((line) => !/^ +at /.test(line) || line.includes(PROGRAM_URL));
    return [...own, ...(cause === undefined ? [] : [`[cause]: ${inspect(cause)}`])].join('\n');
  }
  if (typeof value === 'function') return `[Function: ${value.name || '(anonymous)'}]`;
  try {
    return JSON.stringify(value, null, 2) ?? String(value);
  } catch {
    return String(value);
  }
}

function format(values: readonly unknown[]): string {
  return values.map((value) => (typeof value === 'string' ? value : inspect(value))).join(' ');
}

/** A node:http server without a socket: it listens on every port at once. */
class Server {
  listening = false;
  #port = 0;

  on(): this {
    return this;
  }

  once(): this {
    return this;
  }

  off(): this {
    return this;
  }

  listen({ port }: { readonly port: number }, onListen: () => void): this {
    this.#port = port || 49_152;
    this.listening = true;
    queueMicrotask(onListen);
    return this;
  }

  address() {
    return { port: this.#port };
  }

  close(): this {
    this.listening = false;
    return this;
  }
}

function invalid(code: string, message: string): TypeError {
  return Object.assign(new TypeError(message), { code });
}

const http = {
  METHODS,
  STATUS_CODES,
  createServer: () => new Server(),
  validateHeaderName(name: string) {
    if (/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return;
    throw invalid(
      'ERR_INVALID_HTTP_TOKEN',
      `Header name must be a valid HTTP token ${JSON.stringify([name])}`,
    );
  },
  validateHeaderValue(name: string, value: unknown) {
    if (value === undefined)
      throw invalid(
        'ERR_HTTP_INVALID_HEADER_VALUE',
        `Invalid value "undefined" for header "${name}"`,
      );
    if (/[^\t\x20-\x7e\x80-\xff]/.test(`${value}`))
      throw invalid(
        'ERR_INVALID_CHAR',
        `Invalid character in header content ${JSON.stringify([name])}`,
      );
  },
};

const wait = (delay: number, value: unknown) =>
  new Promise((resolve) => setTimeout(resolve, delay, value));

const MODULES: Readonly<Record<string, object>> = {
  'node:diagnostics_channel': {
    channel: () => ({ hasSubscribers: false, publish() {} }),
    tracingChannel: () => ({ hasSubscribers: false }),
  },
  'node:http': http,
  'node:module': { createRequire: () => shimOf, findSourceMap: () => undefined },
  'node:net': { Server },
  'node:os': { constants: { signals: { SIGINT: 2, SIGTERM: 15 } } },
  'node:timers/promises': {
    setImmediate: (value: unknown) => wait(0, value),
    setTimeout: wait,
  },
  'node:util': { inspect },
};

/** Returns a module of Node.js. What a start does not need throws when it is called. */
export function shimOf(id: string): object {
  return new Proxy(MODULES[id] ?? {}, {
    get(members, name) {
      if (name in members) return Reflect.get(members, name);
      return function unavailable() {
        throw new Error(`The playground has no ${String(name)}() of ${id}. Use it in Node.js.`);
      };
    },
  });
}

/** Node.js has objects as timers. */
const createTimer = (set: typeof setTimeout) =>
  function start(...args: Parameters<typeof setTimeout>) {
    const id = Number(set(...args));
    return { ref() {}, unref: () => ({}), [Symbol.toPrimitive]: () => id };
  };

/** An output of the process, of which everything has been read. */
function createOutput() {
  return {
    writableLength: 0,
    on() {},
    off() {},
    write: (_text: string, written?: () => void) => queueMicrotask(() => written?.()),
  };
}

interface Process {
  exitCode: number;
  nextTick(callback: (...args: unknown[]) => void, ...args: unknown[]): void;
  [member: string]: unknown;
}

const process: Process = {
  argv: [],
  env: {},
  exitCode: 0,
  stderr: createOutput(),
  stdout: createOutput(),
  versions: {},
  cwd: () => FOLDER,
  exit: (code = process.exitCode) => finish(code),
  getActiveResourcesInfo: () => [],
  getBuiltinModule: shimOf,
  nextTick: (callback: (...args: unknown[]) => void, ...args: unknown[]) =>
    queueMicrotask(() => callback(...args)),
  emitWarning(message: string, { type, code }: Readonly<Record<'type' | 'code', string>>) {
    process.nextTick(() => write(`[${code}] ${type}: ${message}`, true));
  },
  on: () => process,
  once: () => process,
  removeListener: () => process,
};

const print = (...values: readonly unknown[]) => write(format(values), false);
const warn = (...values: readonly unknown[]) => write(format(values), true);

Object.assign(globalThis, {
  process,
  Buffer: { byteLength: (text: string) => new TextEncoder().encode(text).length },
  setInterval: createTimer(setInterval as typeof setTimeout),
  setTimeout: createTimer(setTimeout),
  setImmediate: (callback: () => void) => setTimeout(callback),
});
Object.assign(console, { debug: print, error: print, info: print, log: print, warn });
