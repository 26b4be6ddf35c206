import type { RouteMethod, RouteOptions } from '../metadata/class-metadata.js';
import { methodMetadata } from '../metadata/storage.js';

/**
 * Makes a method answer requests. What it returns is sent as JSON.
 *
 * @param path - Pattern below the controller's prefix, such as `/:id`; the prefix itself by default.
 * @param options - Status and description of the route.
 */
export type RouteDecorator = (path?: string, options?: RouteOptions) => MethodDecorator;

function routeDecorator(name: string, method: RouteMethod): RouteDecorator {
  return (path = '', options = {}) =>
    (target, key) => {
      const route = Object.freeze({ method, path, options: Object.freeze({ ...options }) });
      // Decorators run from the bottom up; the list reads from the top down.
      methodMetadata(target, key, name).routes.unshift(route);
    };
}

/** Answers GET, and HEAD with it. */
export const Get: RouteDecorator = routeDecorator('Get', 'GET');

/** Answers POST. */
export const Post: RouteDecorator = routeDecorator('Post', 'POST');

/** Answers PUT. */
export const Put: RouteDecorator = routeDecorator('Put', 'PUT');

/** Answers PATCH. */
export const Patch: RouteDecorator = routeDecorator('Patch', 'PATCH');

/** Answers DELETE. */
export const Delete: RouteDecorator = routeDecorator('Delete', 'DELETE');

/** Answers HEAD; needed only where it must differ from GET. */
export const Head: RouteDecorator = routeDecorator('Head', 'HEAD');

/** Answers OPTIONS. */
export const Options: RouteDecorator = routeDecorator('Options', 'OPTIONS');

/** Answers every method that has no route of its own on the same path. */
export const All: RouteDecorator = routeDecorator('All', 'ALL');
