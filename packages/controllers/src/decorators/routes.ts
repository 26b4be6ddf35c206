import { methodMetadata, type RouteMethod, type RouteOptions } from '../metadata/class-metadata.js';

/**
 * Makes a method handle requests. Its return value is the response: JSON, bytes or a stream.
 *
 * @param path - Pattern below the controller's prefix, such as `/:id`; the prefix itself by default.
 * @param options - Status and documentation of the route.
 */
export type RouteDecorator = (path?: string, options?: RouteOptions) => MethodDecorator;

function routeDecorator(name: string, method: RouteMethod): RouteDecorator {
  return (path = '', options = {}) =>
    (target, key) => {
      const route = Object.freeze({ method, path, options: Object.freeze({ ...options }) });
      // Decorators run from bottom to top.
      methodMetadata(target, key, name).routes.unshift(route);
    };
}

/** Handles GET, and HEAD. */
export const Get: RouteDecorator = routeDecorator('Get', 'GET');

/** Handles POST. */
export const Post: RouteDecorator = routeDecorator('Post', 'POST');

/** Handles PUT. */
export const Put: RouteDecorator = routeDecorator('Put', 'PUT');

/** Handles PATCH. */
export const Patch: RouteDecorator = routeDecorator('Patch', 'PATCH');

/** Handles DELETE. */
export const Delete: RouteDecorator = routeDecorator('Delete', 'DELETE');

/** Handles HEAD. Only needed if it differs from GET. */
export const Head: RouteDecorator = routeDecorator('Head', 'HEAD');

/** Handles OPTIONS. */
export const Options: RouteDecorator = routeDecorator('Options', 'OPTIONS');

/** Handles every method without a specific route on the same path. */
export const All: RouteDecorator = routeDecorator('All', 'ALL');

/**
 * Sets the status of a route's response, unless the method sets one through the context.
 *
 * @param status - Integer from 200 to 599. Overrides the `status` of the route's options.
 */
export function HttpCode(status: number): MethodDecorator {
  return (target, key) => {
    methodMetadata(target, key, 'HttpCode').status = status;
  };
}

/**
 * Adds a header to a route's response. You can repeat it: several values for one name are sent as
 * separate header lines. The header is set before the method runs, so the method can still change it.
 *
 * @param name - Header name, case-insensitive.
 * @param value - Text without control characters.
 */
export function SetHeader(name: string, value: string): MethodDecorator {
  return (target, key) => {
    // Decorators run from bottom to top.
    methodMetadata(target, key, 'SetHeader').headers.unshift(Object.freeze({ name, value }));
  };
}

/** Result of a method with `@Redirect()` that overrides the decorator. */
export interface RedirectTarget {
  /** Value of `Location`; by default that of the decorator. */
  readonly url?: string;
  /** Integer from 300 to 399; by default that of the decorator. */
  readonly statusCode?: number;
  /** Value of a placeholder in the URL of the decorator. */
  readonly [placeholder: string]: string | number | undefined;
}

/**
 * Responds with a redirect and an empty body after the method has run. The method may return a string
 * to override the URL, or a {@link RedirectTarget}.
 *
 * @param url - Value of `Location`: absolute or relative, percent-encoded. The members of the returned
 *   object replace placeholders such as `:owner`, percent-encoded.
 * @param statusCode - Integer from 300 to 399; 302 by default.
 */
export function Redirect(url: string, statusCode = 302): MethodDecorator {
  return (target, key) => {
    methodMetadata(target, key, 'Redirect').redirect = Object.freeze({ url, statusCode });
  };
}
