import { methodMetadata } from '../metadata/storage.js';

/**
 * Sets the status of a route's response, unless the method sets one through the context.
 *
 * @param status - Integer from 200 to 599. Wins over the `status` of the route's options.
 */
export function HttpCode(status: number): MethodDecorator {
  return (target, key) => {
    methodMetadata(target, key, 'HttpCode').status = status;
  };
}

/**
 * Adds a header to a route's response. May be repeated; values for one name become several lines.
 * It is set before the method runs, so that the method can still change it.
 *
 * @param name - Header name, in any case.
 * @param value - Text without control characters.
 */
export function SetHeader(name: string, value: string): MethodDecorator {
  return (target, key) => {
    // Decorators run from the bottom up; the list reads from the top down.
    methodMetadata(target, key, 'SetHeader').headers.unshift(Object.freeze({ name, value }));
  };
}

/** What a method under `@Redirect()` may return in place of a URL string. */
export interface RedirectTarget {
  /** Value of `Location`; that of the decorator by default. */
  readonly url?: string;
  /** Integer from 300 to 399; that of the decorator by default. */
  readonly statusCode?: number;
}

/**
 * Answers with a redirect and an empty body, after the method has run. The method may return a
 * string to replace the URL, or `{ url, statusCode }` to replace either.
 *
 * @param url - Value of `Location`: absolute or relative, percent-encoded.
 * @param statusCode - Integer from 300 to 399; 302 by default.
 */
export function Redirect(url: string, statusCode = 302): MethodDecorator {
  return (target, key) => {
    methodMetadata(target, key, 'Redirect').redirect = Object.freeze({ url, statusCode });
  };
}
