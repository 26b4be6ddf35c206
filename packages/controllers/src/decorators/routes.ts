import type { HandlerResult, ResponseSchemas, ResponseValue } from '@fairlead/core';
import type { Class, Constructor, Injectable } from '@fairlead/di';
import { describeValue, type Kinds, object, routeStatus, string } from '@fairlead/options';
import { refuse } from '../errors.js';
import {
  type RouteDecoratorOptions,
  type RouteMethod,
  undiscovered,
} from '../metadata/class-metadata.js';
import type { Fault } from '../metadata/mistakes.js';
import { ROUTE_OPTIONS, readOptions, readPaths, VERSION } from '../metadata/read-options.js';
import { CLASS_STYLE, type Spell } from '../metadata/style.js';
import { CLASS, captureDecorator, createDecorator, METHOD } from './decorator.js';

/** Object form of the argument of `@Controller()`. */
export interface ControllerOptions {
  /** Leading path of every route of the class; empty by default. */
  readonly prefix?: string;
  /** Version segment before the prefix: `v2` turns `/users` into `/v2/users`. */
  readonly version?: string;
}

const CONTROLLER_OPTIONS: Kinds<ControllerOptions> = {
  prefix: string,
  version: VERSION,
};

/**
 * A class decorator that compiles only for a class that can be instantiated, and only where a `static inject` tuple lists
 * what its constructor takes.
 */
// biome-ignore lint/complexity/noBannedTypes: so that it is a ClassDecorator
export type ControllerDecorator = <C extends Function>(target: Injectable<C> & Concrete<C>) => void;

/** A member has the result, as that of `Injectable`. */
interface Concrete<Target> {
  readonly prototype: Target extends Class
    ? Target extends Constructor
      ? unknown
      : AbstractController<Target>
    : unknown;
}

/** Says that discovery would instantiate an abstract class. No class has this member. */
interface AbstractController<Target> {
  readonly 'a controller cannot be abstract: decorate its subclasses instead': Target;
}

/**
 * Marks a class as a controller.
 *
 * @param options - The prefix, or an object with prefix and version.
 */
export const Controller: (options?: string | ControllerOptions) => ControllerDecorator =
  createDecorator({
    name: 'Controller',
    target: CLASS,
    takes: 1,
    read: (_spell, value) => {
      const callSite = captureDecorator();
      const { options, faults } = readController(value);
      const { prefix = '', version } = options;
      const hasPath = faults.length === 0;
      return {
        faults,
        check: ({ controller }) => (controller === undefined ? undefined : REPEATED),
        apply: (_metadata, { owner }) => {
          undiscovered.add(owner);
          const controller = { prefix, version, callSite, hasPath, style: CLASS_STYLE };
          return { controller: Object.freeze(controller) };
        },
      };
    },
  });

const REPEATED = { problem: 'the class has two @Controller() decorators.', fix: 'keep one.' };

function readController(value: unknown): ReturnType<typeof readOptions<ControllerOptions>> {
  const options = typeof value === 'string' ? { prefix: value } : value;
  if (options === undefined || object.accepts(options)) {
    return readOptions<ControllerOptions>('@Controller()', options, CONTROLLER_OPTIONS);
  }
  const fix = "pass a string, such as '/users', or an object { prefix, version }.";
  return { options: {}, faults: [refuse('@Controller()', value, 'prefix', fix)] };
}

// An import of node:http would also load its fetch.
const { validateHeaderName, validateHeaderValue } = process.getBuiltinModule('node:http');

/** A method decorator that compiles only where the method returns a `Value`, or a promise of one. */
export type ResponseDecorator<Value> = (
  target: object,
  key: string | symbol,
  descriptor: MethodReturning<Value>,
) => void;

/** The descriptor of a method whose result fits `response`. */
interface MethodReturning<Value> {
  readonly value?: (...values: never[]) => HandlerResult<Value>;
}

/**
 * Makes a method handle requests. Its return value is the response: JSON, bytes or a stream. With
 * `response`, it must be what the schema produces, unless the schema has the type `object`. A method that
 * responds through the context returns nothing.
 */
export interface RouteDecorator {
  /**
   * @param path - Pattern below the controller's prefix, such as `/:id`, or an array of patterns; the prefix itself
   *   if empty.
   * @param options - Response schema, status and documentation of the route.
   */
  <const Response extends ResponseSchemas>(
    path: string | readonly string[],
    options: RouteDecoratorOptions & { readonly response: Response },
  ): ResponseDecorator<ResponseValue<{ readonly response: Response }>>;
  /**
   * @param path - Pattern below the controller's prefix, such as `/:id`, or an array of patterns; the prefix itself
   *   by default.
   * @param options - Status and documentation of the route.
   */
  (path?: string | readonly string[], options?: RouteDecoratorOptions): MethodDecorator;
}

function routeDecorator(name: string, method: RouteMethod): RouteDecorator {
  return createDecorator({
    name,
    target: METHOD,
    takes: 2,
    read: (spell, path = '', value) => {
      const callSite = captureDecorator();
      const call = spell(`@${name}()`);
      const reading = readOptions<RouteDecoratorOptions>(call, value, ROUTE_OPTIONS);
      const { paths, faults: wrong } = readPaths(call, path);
      const faults = [...wrong, ...reading.faults.map((one) => explainInput(one, spell))];
      const options = Object.freeze({ ...reading.options });
      const own = paths.map((one) => ({ method, path: one, options, callSite }));
      return { faults, site: callSite, apply: ({ routes }) => ({ routes: [...own, ...routes] }) };
    },
  });
}

/** The parameter decorators with a schema, by the options that routes of `@fairlead/core` have. */
const INPUTS = { body: 'Body', query: 'Query', params: 'Param', headers: 'Header' };

/** Explains where the schema of an input belongs, if a fault is that an option is unknown. */
function explainInput(fault: Fault, spell: Spell): Fault {
  for (const [option, decorator] of Object.entries(INPUTS)) {
    const [problem] = fault.problem.split(`has no option '${option}'.`);
    if (problem === fault.problem) continue;
    const fix = `Validate it where the method receives it, with ${spell(`@${decorator}({ schema })`)}.`;
    return { problem: `${problem}has no option '${option}'. ${fix}` };
  }
  return fault;
}

/** Handles GET and HEAD. */
export const Get: RouteDecorator = routeDecorator('Get', 'GET');

/** Handles POST. */
export const Post: RouteDecorator = routeDecorator('Post', 'POST');

/** Handles PUT. */
export const Put: RouteDecorator = routeDecorator('Put', 'PUT');

/** Handles PATCH. */
export const Patch: RouteDecorator = routeDecorator('Patch', 'PATCH');

/** Handles DELETE. */
export const Delete: RouteDecorator = routeDecorator('Delete', 'DELETE');

/** Handles QUERY: a search, safe as with GET, with a body (RFC 10008). `@Query()` is for parameters. */
export const QueryRoute: RouteDecorator = routeDecorator('QueryRoute', 'QUERY');

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
export const HttpCode: (status: number) => MethodDecorator = createDecorator({
  name: 'HttpCode',
  target: METHOD,
  takes: 1,
  example: '@HttpCode(201)',
  read: (spell, status) => {
    if (typeof status === 'number' && routeStatus.accepts(status)) {
      return { apply: () => ({ status }) };
    }
    const fix = `use ${routeStatus.description}.`;
    return { faults: [refuse(spell('@HttpCode()'), status, 'status', fix)] };
  },
});

/**
 * Adds a header to a route's response. You can repeat it: several values for one name are sent as
 * separate header lines. The header is set before the method runs, so the method can still change it.
 *
 * @param name - Header name, case-insensitive.
 * @param value - Text without control characters.
 */
export const SetHeader: (name: string, value: string) => MethodDecorator = createDecorator({
  name: 'SetHeader',
  target: METHOD,
  takes: 2,
  example: "@SetHeader('Cache-Control', 'no-store')",
  read: (spell, name, value) => {
    const call = spell('@SetHeader()');
    if (typeof name !== 'string' || typeof value !== 'string') {
      const given = `${describeValue(name)} and ${describeValue(value)}`;
      const problem = `${call} cannot use ${given} as name and value.`;
      return { faults: [{ problem, fix: 'pass two strings.' }] };
    }
    const header = Object.freeze({ name, value });
    return {
      faults: headerFaults(call, name, value),
      apply: ({ headers }) => ({ headers: [header, ...headers] }),
    };
  },
});

function headerFaults(call: string, name: string, value: string): Fault[] {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return [];
  } catch (cause) {
    const problem = `${call} cannot send the header '${name}': ${String(cause)}.`;
    return [{ problem, fix: 'correct the name or the value.', cause }];
  }
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
 * @param statusCode - Integer from 300 to 399. By default, the status of the route if it is one, or else 302.
 */
export const Redirect: (url: string, statusCode?: number) => MethodDecorator = createDecorator({
  name: 'Redirect',
  target: METHOD,
  takes: 2,
  example: "@Redirect('/path')",
  read: (spell, url, statusCode) => {
    const call = spell('@Redirect()');
    if (typeof url !== 'string') {
      return { faults: [refuse(call, url, 'URL', "pass a string, such as '/path'.")] };
    }
    if (statusCode !== undefined && typeof statusCode !== 'number') {
      const fix = 'use an integer from 300 to 399.';
      return { faults: [refuse(call, statusCode, 'status', fix)] };
    }
    return { apply: () => ({ redirect: Object.freeze({ url, statusCode }) }) };
  },
});
