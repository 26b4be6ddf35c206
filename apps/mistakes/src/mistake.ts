/** Where a mistake is reported at run time, the earliest place first. */
export const PLACES = ['startup', 'warning', 'request', 'response', 'close', 'never'] as const;

/**
 * - `startup`: the start fails.
 * - `warning`: the start succeeds, and prints the message.
 * - `request`: a request prints the message, or rejects with it.
 * - `response`: the client receives the message, and nothing is printed.
 * - `close`: closing the application fails.
 * - `never`: nothing contains the message.
 */
export type Place = (typeof PLACES)[number];

/**
 * Where a mistake has to be reported, each with a part of the message: by the compiler if it can know, and in
 * one place at run time, for JavaScript and casts. The part for `never` is the reason.
 */
export type Wanted = Readonly<Partial<Record<Place | 'compiler', string | RegExp>>>;

/** A path, with its options if it is not a GET request. */
export type MistakenRequest = string | readonly [path: string, init: RequestInit];

/** A mistake that an application makes. */
export interface Mistake {
  /** The part of an application that the mistake is about. */
  readonly area: string;
  /** What the application does, in Markdown. Unique in its area. */
  readonly title: string;
  readonly wanted: Wanted;
  /** Makes the mistake. Returns an application, a server or a test application, or fails. */
  readonly start: () => unknown;
  /** A request that would succeed without the mistake. */
  readonly request: MistakenRequest;
}

/** All mistakes, in the order of the page. */
export const mistakes: Mistake[] = [];

/** Adds a mistake to an area. */
export type AddMistake = (
  title: string,
  wanted: Wanted,
  start: () => unknown,
  request?: MistakenRequest,
) => void;

/** Begins an area. */
export function area(name: string): AddMistake {
  return (title, wanted, start, request = '/') => {
    mistakes.push({ area: name, title, wanted, start, request });
  };
}

/** A request with a JSON body. */
export function post(path: string, body: unknown): MistakenRequest {
  const headers = { 'Content-Type': 'application/json' };
  return [path, { method: 'POST', headers, body: JSON.stringify(body) }];
}

/** Whether a message contains a part. */
export function contains(message: string, part: string | RegExp): boolean {
  return typeof part === 'string' ? message.includes(part) : part.test(message);
}
