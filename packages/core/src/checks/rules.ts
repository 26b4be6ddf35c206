import { includesType, isIntended, nearestName } from '@fairlead/options';
import {
  descriptionOf,
  flatten,
  isResponder,
  isUnknown,
  opensWebSocket,
  passesOn,
  roleOf,
} from '../annotations/description.js';
import type { Middleware } from '../pipeline/pipeline.js';
import { isBelow, overlaps, type Pattern } from '../router/pattern.js';
import { hasMiddleware, isShared, unreturnedIn, writtenIn } from '../router/router.js';
import { Tree } from '../router/tree.js';
import { SetupError } from '../setup/setup-error.js';
import { findUndecided, findUndecidedResponder } from './access.js';
import {
  ignoresInvalidParams,
  lacksParser,
  rejectsEverything,
  rejectsParsed,
} from './declared-inputs.js';
import { describesNoBody } from './declared-responses.js';
import { acceptsAnyText, demandsImpossible, exceedsText } from './inputs.js';
import type { Layout, Place, PlacedRoute } from './layout.js';
import { areMisplaced, areRefused, isHandler, mayRespond } from './placement.js';
import {
  type Check,
  type Found,
  forAll,
  forMiddleware,
  forRoutes,
  NAMES,
  type PlacedMiddleware,
  runChecks,
} from './run-checks.js';

/** What cannot work, whatever is registered later. */
const ERRORS: readonly Check[] = [
  forMiddleware({ INVALID_ORDER: [hidesWhatFollows] }),
  forRoutes({
    INVALID_ORDER: [hidesHandler, catchesNothing],
    INVALID_METHOD: [cannotUpgrade],
    INVALID_INPUT_SCHEMA: [exceedsText],
    INVALID_OPTION: [hasNoVersions],
  }),
];

/** What cannot work unless something is registered later. */
const FINAL_ERRORS: readonly Check[] = [
  forMiddleware({
    INVALID_ORDER: [(one) => missesRoutes(one, true)],
    ACCESS_UNDECIDED: [findUndecidedResponder],
  }),
  forRoutes({ ACCESS_UNDECIDED: [findUndecided] }),
  forAll({ INVALID_ORDER: [areRefused] }),
];

/** What can work, but is usually a mistake. */
const WARNINGS: readonly Check[] = [
  forRoutes({ FAIRLEAD_ORDER: [endsInIdleMiddleware] }),
  forMiddleware({
    FAIRLEAD_ORDER: [missesErrors, (one) => missesRoutes(one, false), hidesOption],
  }),
  forRoutes({
    FAIRLEAD_ROUTE: [repeatsPrefix, describesNoBody],
    FAIRLEAD_SUNSET: [outlivesSunset],
    FAIRLEAD_ORDER: [opensAsPage, parsesTwice],
    FAIRLEAD_INPUT: [
      demandsImpossible,
      acceptsAnyText,
      rejectsEverything,
      lacksParser,
      rejectsParsed,
      ignoresInvalidParams,
    ],
    FAIRLEAD_TOOL: [lacksServer],
  }),
  forAll({
    FAIRLEAD_ORDER: [readTooEarly],
    FAIRLEAD_ROUTE: [hideRoutes, forgetRoutes, routeNothing],
  }),
  forMiddleware({ FAIRLEAD_ROUTE: [coversNoRoute] }),
  forAll({ FAIRLEAD_OPTION: [haveDoubtfulOptions, areMisplaced, lacksDefault] }),
];

/**
 * Finds what cannot work.
 *
 * @param isFinal - Whether nothing else will be registered.
 */
export function findErrors(layout: Layout, isFinal: boolean): readonly Error[] {
  const found = runChecks(isFinal ? [...ERRORS, ...FINAL_ERRORS] : ERRORS, layout);
  return [...layout.problems, ...found.map((one) => new SetupError(...one))];
}

/** Finds what can work, but is usually a mistake. The message of a warning ends with how to silence it. */
export function findWarnings(layout: Layout): ReturnType<typeof runChecks> {
  return runChecks(WARNINGS, layout);
}

function hidesWhatFollows({ middleware, prefix, shapes, after }: PlacedMiddleware): Found {
  if (roleOf(middleware) !== 'notFoundHandler') return;
  const others = after.filter((other) => !isHandler(other.middleware));
  const names = others.flatMap((other) => namesOf(other, (pattern) => isBelow(shapes, pattern)));
  const message = `notFoundHandler() responds to every request${below(prefix)}, so anything registered after it never runs: ${NAMES}. Register notFoundHandler() last.`;
  return { message, names };
}

/** The option `notFound` is for requests that nothing else responds to. */
function hidesOption(
  { middleware, prefix }: PlacedMiddleware,
  { respondsToUnknown }: Layout,
): Found {
  if (roleOf(middleware) !== 'notFoundHandler' || prefix !== '/') return;
  if (!respondsToUnknown || isIntended(middleware)) return;
  return 'notFoundHandler() responds to every request, so the option notFound of createApp() never does. Remove one of them, or pass notFoundHandler() to intended().';
}

function hidesHandler({ handlers }: PlacedRoute): Found {
  const message = `notFoundHandler() responds to every request, so the functions after it never run in a route: ${NAMES}. Register it last on the application, with app.use(notFoundHandler()).`;
  const found = handlers.slice(0, -1).filter((one) => roleOf(one) === 'notFoundHandler');
  // The middleware of a router is part of each of its routes.
  return found.map((about) => ({ message, about }));
}

function catchesNothing({ handlers }: PlacedRoute): Found {
  if (roleOf(handlers.at(-1)) !== 'errorHandler') return;
  return `errorHandler() is the last function of a route, so it catches nothing there: ${NAMES}. Pass it before the other functions.`;
}

function cannotUpgrade({ method, name, handlers }: PlacedRoute): Found {
  if (/^(GET|ALL)$/.test(method) || !opensWebSocket(handlers)) return;
  return `The route ${name} cannot open WebSocket connections, because clients open them with GET. Register it for GET.`;
}

function hasNoVersions({ options: { version } }: PlacedRoute, { versions }: Layout): Found {
  if (version === undefined || versions !== undefined) return;
  return `A route has a version, but the application does not tell where requests name one: ${NAMES}. Pass the result of createVersions() as versions to createApp().`;
}

function lacksDefault({ routes, versions: at }: Layout): Found {
  const known = new Set(routes.flatMap(({ options }) => options.version ?? []));
  const message = isIntended(at) ? undefined : at?.doubt(known);
  return message && { message, at };
}

function endsInIdleMiddleware({ handlers }: PlacedRoute): Found {
  const last = handlers.at(-1);
  if (!passesOn(last) || isIntended(last)) return;
  if (!handlers.some((one) => roleOf(one) === 'websocket' || (isUnknown(one) && !mayCallNext(one))))
    return;
  const { name } = descriptionOf(last) ?? {};
  return `${name} never runs, because a function before it in the route does not call next(): ${NAMES}. Pass ${name} before the handler, or to intended().`;
}

function missesErrors(one: PlacedMiddleware): Found {
  if (roleOf(one.middleware) !== 'errorHandler' || isIntended(one.middleware)) return;
  // Other error handlers catch the errors, or have been reported for the same routes.
  const isMissed = coversWithout(one, (other) => roleOf(other) === 'errorHandler');
  const routers = one.before.filter(({ router }) => router && !isIntended(router));
  const names = routers.flatMap((router) =>
    namesOf(router, (pattern, _handlers, route) => isMissed(pattern) && !route?.isIntended),
  );
  const message = `errorHandler() cannot catch errors${below(one.prefix)} from anything registered before it: ${NAMES}. Register errorHandler() first, or pass it or the router to intended().`;
  return { message, names };
}

/** Functions that read what others provide, but run before these, or without any. */
function readTooEarly({ places }: Layout): Found {
  const chains = places.map(({ shapes, middleware: one, routes = [] }) =>
    one ? [{ shapes: [...shapes, '*'], handlers: [one], options: one, name: '' }] : routes,
  );
  const passing = chains.map((some) => some.filter((one) => !one.name || mayPassOn(one)));
  return chains.flatMap((chain, index) =>
    chain.flatMap(({ shapes, handlers, options: at, name }) =>
      handlers.flatMap((one, step) => {
        const { name: reader, after = [], guard } = descriptionOf(one) ?? {};
        if (after.length === 0 || isUnknown(one) || isIntended(one)) return [];
        const near = (some: typeof passing) =>
          some.flat().flatMap((other) => (overlaps(other.shapes, shapes) ? other.handlers : []));
        const before = [...near(passing.slice(0, index)), ...handlers.slice(0, step)];
        const later = name ? handlers.slice(step) : near(passing.slice(index));
        const provides = (other: object) => after.includes(descriptionOf(other)?.name ?? '');
        const isLate = later.some(provides);
        if (before.some(provides) || (!isLate && before.some(isUnknown))) return [];
        const needed = after.join(' or ');
        const isGuarded = guard !== undefined && flatten(later).some(provides) && !isLate;
        if (isGuarded) {
          const message = `${reader} reads what ${needed} provides, but runs before the guards of: ${NAMES}. Use ${guard}, which is a guard, in place of ${reader}, register ${after[0]} first, or pass ${reader} to intended().`;
          return { message, names: [name], at };
        }
        const message = `${reader} reads what ${needed} provides, but ${isLate ? 'runs before it' : 'nothing before it provides that'}${name && ` in: ${NAMES}`}. Register ${isLate ? 'that' : needed} first, or pass ${reader} to intended().`;
        return { message, names: [name], at, about: name ? undefined : handlers };
      }),
    ),
  );
}

/**
 * Finds routes before middleware that only affects what is after it. Middleware that has a route or any other
 * function after it may be there for that.
 */
function missesRoutes(one: PlacedMiddleware, isInput: boolean): Found {
  const { middleware, prefix, shapes, before, after } = one;
  if ((roleOf(middleware) === 'input') !== isInput) return;
  const name = passesOn(middleware) ? descriptionOf(middleware)?.name : nameOfCheck(one);
  if (name === undefined || isIntended(middleware)) return;
  const later = after.filter((other) => mayRespond(other.middleware));
  if (later.some((other) => namesOf(other, (pattern) => overlaps(shapes, pattern)).length > 0))
    return;
  // Middleware of the same name runs for these routes, or has been reported for them.
  const isSame = (other: Middleware | undefined): boolean =>
    other === middleware || descriptionOf(other)?.name === name;
  const isMissed = coversWithout(one, isSame);
  const routers = before.filter(({ routes }) => routes);
  const names = routers.flatMap((router) =>
    namesOf(router, (pattern, handlers) => isMissed(pattern) && !handlers.some(isSame)),
  );
  const silence = isInput ? '.' : ', or pass it to intended() if it is for unknown paths.';
  const message = `${name} runs for no route${below(prefix)}, because all of them are registered before it: ${NAMES}. Register it before the routes${silence}`;
  return { message, names };
}

/**
 * Names a function of the application that seems to be for routes, by two of three signs: it has a prefix, passes
 * requests on, rejects some. Returns undefined for any other one, which may respond to paths without a route.
 */
function nameOfCheck({ middleware, prefix }: PlacedMiddleware): string | undefined {
  if (roleOf(middleware) !== undefined) return;
  const text = `${middleware}`;
  const rejects = /\b40[13]\b|Unauthorized|Forbidden/.test(text);
  if ([prefix !== '/', middleware.length > 1, rejects].filter(Boolean).length < 2) return;
  if (/\b404\b|NotFound/.test(text)) return;
  const { name } = middleware;
  return name === '' ? `A function of app.use('${prefix}')` : `The middleware '${name}'`;
}

function repeatsPrefix({ pattern, isIntended }: PlacedRoute, { mounts }: Layout): Found {
  const [, repeated] = /((?:\/[^/:*]+)+)\1(?![^/])/.exec(pattern.text) ?? [];
  if (repeated === undefined || isIntended) return;
  const written = [...mounts.keys()].flatMap(({ prefix, router }) => [
    prefix,
    ...writtenIn(router),
  ]);
  // What one string repeats is meant.
  if (written.some((text) => `/${text}/`.includes(`${repeated}${repeated}/`))) return;
  return `'${repeated}' occurs twice in a row in a pattern: ${NAMES}. Remove it from the prefix or the path, or pass the router, the handler or the controller to intended().`;
}

function outlivesSunset({ options: { deprecated }, isIntended }: PlacedRoute): Found {
  const { sunset }: { readonly sunset?: string } = Object(deprecated);
  if (sunset === undefined || isIntended || Date.now() < new Date(sunset).getTime()) return;
  return `The sunset of a deprecated route has passed, on ${sunset}: ${NAMES}. Remove the route, move its sunset, or pass the handler or the controller to intended().`;
}

/** A parser that reads what another one has read. It may be there for other routes. */
function parsesTwice({ functions }: PlacedRoute, { routes }: Layout): Found {
  const readsElsewhere = (parser: Middleware, first: Middleware) =>
    routes.some((other) => other.functions.includes(parser) && !other.functions.includes(first));
  const parsers = functions.filter((one) => descriptionOf(one)?.reads !== undefined);
  return parsers.flatMap((parser, index) => {
    const { name, reads } = descriptionOf(parser) ?? {};
    const earlier = parsers.slice(0, index).find((other) => {
      // A parser without settings may leave a body to a later one.
      const { settings, mediaTypes: ranges = [] } = descriptionOf(other)?.reads ?? {};
      if (settings === undefined) return false;
      // The types of a parser without settings are not all that it reads.
      const isKnown = reads?.settings !== undefined;
      return reads?.mediaTypes.every((type) =>
        ranges.some((range) => (isKnown || range !== type) && includesType(range, type)),
      );
    });
    const first = descriptionOf(earlier);
    if (!earlier || !first || isIntended(parser)) return [];
    if (first.reads?.settings === reads?.settings || readsElsewhere(parser, earlier)) return [];
    return `${name} never reads a body, because ${first.name} before it has read it: ${NAMES}. Pass the option skip to the ${first.name} before it, or pass ${name} to intended().`;
  });
}

/** Browsers may get a page instead of the response of a route. A wildcard may be there for other clients. */
function opensAsPage({ method, pattern, functions, handlers }: PlacedRoute): Found {
  if (!/^(GET|ALL)$/.test(method) || pattern.endsInWildcard) return;
  const page = functions
    .slice(0, -handlers.length)
    .find((one) => descriptionOf(one)?.hides?.(samplePath(pattern)) && !isIntended(one));
  if (page === undefined) return;
  const message = `${descriptionOf(page)?.name} sends its fallback to browsers that open a route after it: ${NAMES}. Register it after the routes, or pass it to intended().`;
  return { message, at: page };
}

/** A route of an earlier router may match all paths of a route. */
function hideRoutes({ mounts }: Layout): Found {
  const trees = new Map<string, readonly [Tree<PlacedRoute>, version: string | undefined]>();
  const own = new Set([...mounts.keys()].flatMap(({ router, isOwn }) => (isOwn ? router : [])));
  return [...mounts.values()].flatMap((routes, index, all) => {
    for (const route of all[index - 1] ?? []) {
      const { rules } = route.router;
      const { version } = route.options;
      const key = JSON.stringify([rules, version]);
      const [tree] = trees.get(key) ?? [new Tree<PlacedRoute>(rules)];
      tree.insert(route.method, route.pattern, route);
      trees.set(key, [tree, version]);
    }
    return routes.flatMap(({ name, method, pattern, options, router }) => {
      const path = samplePath(pattern);
      const [first] = [...trees.values()].flatMap(([tree, version]) => {
        const isForAll = version === undefined || version === options.version;
        const found = isForAll ? tree.find(method, path)?.value : undefined;
        // Only a wildcard matches all paths of another one.
        const isWhole = found?.pattern.endsInWildcard || !pattern.endsInWildcard;
        return found && isWhole ? found : [];
      });
      if (!first || first.isIntended || mayPassOn(first)) return [];
      const message = `${first.name} is ${own.has(first.router) ? 'registered earlier' : 'in an earlier router'} and responds to every request for: ${NAMES}. ${own.has(router) ? 'Register the later route first' : 'Mount the later router first'}. If the handler of ${first.name} calls next(), pass it or its router to intended().`;
      return { message, names: [name], at: options };
    });
  });
}

function forgetRoutes({ mounts }: Layout): Found {
  const routers = new Set([...mounts.keys()].map(({ router }) => router));
  const found = new Map([...routers].flatMap(unreturnedIn));
  return [...found].map(([message, at]) => ({ message, at }));
}

/** Middleware of a router runs only for its routes. */
function routeNothing({ mounts }: Layout): Found {
  const idle = [...mounts].filter(
    ([{ router }, routes]) => routes.length === 0 && hasMiddleware(router) && !isIntended(router),
  );
  return idle.map(([entry]) => ({
    message: `The router mounted at '${entry.prefix}' has middleware, but no route, so nothing of it runs. Add its routes, or pass the router to intended().`,
    at: entry,
  }));
}

/** Middleware below a prefix without routes may respond, so only some of it is suspicious. */
function coversNoRoute(
  { call, prefix, shapes }: PlacedMiddleware,
  { places, routes }: Layout,
): Found {
  if (routes.length === 0 || routes.some((one) => overlaps(shapes, one.shapes))) return;
  if (call.some((one) => isIntended(one) || isResponder(one) || !mayCallNext(one))) return;
  const sections = routes.flatMap(({ pattern: { text } }) =>
    [...text.matchAll(/(?!^)(?=\/)|$/g)].map(({ index }) => text.slice(0, index)),
  );
  const similar = sections.filter((one) => one.split('/').length === prefix.split('/').length);
  const nearest = sections.find((one) => one.endsWith(prefix)) ?? nearestName(prefix, similar);
  const others = places.flatMap((other) => (other.prefix === '/' ? other.call : []));
  if (nearest === undefined && [...call, ...others].some(mayRespond)) return;
  const fix = nearest === undefined ? 'Correct the prefix' : `Use '${nearest}'`;
  const message = `app.use('${prefix}') covers no route with: ${NAMES}. ${fix}, or pass the middleware to intended() if it serves paths without routes.`;
  return { message, names: [call.map((one) => one.name || 'a function').join(', ')], about: call };
}

function haveDoubtfulOptions({ places, routes }: Layout): Found {
  const functions = [places.map(({ call }) => call), routes.map((one) => one.handlers)].flat(2);
  return [...new Set(functions)].flatMap((about) => {
    const message = isIntended(about) ? undefined : descriptionOf(about)?.warning?.();
    return message === undefined ? [] : { message, about, at: about };
  });
}

function lacksServer(
  { options, router, isIntended: isMarked }: PlacedRoute,
  { routes }: Layout,
): Found {
  const serves = (one: Middleware) => descriptionOf(one)?.servesTools === true;
  if (!options.tool || isMarked || routes.some(({ handlers }) => handlers.some(serves))) return;
  // Another application may serve it.
  if (isShared(router, options)) return;
  return `No agent can call a tool, because the application has no MCP server: ${NAMES}. Install mcp() of @fairlead/mcp with app.plugin(), or pass the handler or the controller to intended().`;
}

/** Whether the last function of a route may pass a request on. */
function mayPassOn({ handlers }: Pick<PlacedRoute, 'handlers'>): boolean {
  const last = handlers.at(-1);
  return last !== undefined && mayCallNext(last);
}

/** Whether a function accepts `next`, or mentions `ctx.next()` or all of its arguments. */
function mayCallNext(one: Middleware): boolean {
  return one.length > 1 || /\bnext\b|\barguments\b|^[^)]*\.\.\./.test(sourceOf(one));
}

/** Returns the source of a function, or of the one that it only calls. */
function sourceOf(one: Middleware): string {
  return Function.prototype.toString.call(descriptionOf(one)?.wraps ?? one);
}

/** Describes the paths of a prefix, after a noun. */
function below(prefix: string): string {
  return prefix === '/' ? '' : ` below '${prefix}'`;
}

/** Creates the predicate for the patterns that a middleware covers, but none like it that is before it. */
function coversWithout(
  { shapes, before }: PlacedMiddleware,
  isAlike: (other: Middleware | undefined) => boolean,
) {
  const others = before.filter(({ middleware }) => isAlike(middleware));
  return (pattern: readonly string[]): boolean =>
    isBelow(shapes, pattern) && !others.some((other) => isBelow(other.shapes, pattern));
}

/** Names a middleware or a router if all of it is affected, or else the affected routes. */
function namesOf(
  { name, shapes, routes }: Place,
  isAffected: (
    shapes: readonly string[],
    handlers: readonly Middleware[],
    route?: PlacedRoute,
  ) => boolean,
): readonly string[] {
  if (routes === undefined) return isAffected([...shapes, '*'], []) ? [name] : [];
  const affected = routes.filter((route) => isAffected(route.shapes, route.handlers, route));
  const isWhole = affected.length === routes.length && affected.length > 0;
  return isWhole && name !== '' ? [name] : affected.map((route) => `the route ${route.name}`);
}

/** Returns a path that a pattern matches, and that is unlikely to match static segments of others. */
function samplePath({ segments }: Pattern): string {
  const texts = segments.map((segment) => {
    if (segment.kind === 'static') return segment.text;
    return segment.kind === 'affix' ? segment.literals.join('~') : '~';
  });
  return `/${texts.join('/')}`;
}
