import type { Application, PathRules, Route, Security } from '@fairlead/core';
import { descriptionOf, flatten, opensWebSocket, registrationsOf } from '@fairlead/core/extend';
import { locatorOf } from '@fairlead/options';
import { importOptional } from '../application.js';
import { nameOf } from '../routes.js';

/**
 * What a step demands: ways to authenticate, one of which is enough. Each lists schemes, such as `bearer`, and their
 * scopes or roles, such as `bearer:admin`, all of which a request needs. An empty way lets every request pass.
 */
export type Needs = readonly (readonly string[])[];

/** Something that runs for a route before its handler, or the handler, if it authenticates requests itself. */
export interface Step {
  readonly kind: 'middleware' | 'guard' | 'handler';
  readonly name: string;
  /** The prefix of the requests that it runs for; all of the route without it. */
  readonly below?: string;
  readonly needs: Needs;
  /** Such as `100 per 60 s`. */
  readonly limit?: string;
  /** Such as `src/app.ts:12:3`; undefined if it is unknown. */
  readonly at: string | undefined;
}

/** What decides who may call a route. */
export interface Chain {
  /** Method and pattern, such as `GET /users/:id`, and the version if it has one. `USE /assets serveStatic()` for middleware that responds. */
  readonly route: string;
  /** Why everyone may call it. */
  readonly public?: string;
  /** Whether a package brings the reason, so that it is no decision of the application. */
  readonly isBuiltIn: boolean;
  /** How its path is compared; undefined for a prefix. */
  readonly rules?: PathRules | undefined;
  /** In the order in which they run. */
  readonly steps: readonly Step[];
  readonly at: string | undefined;
}

/** Lists what runs for each route, in the order of registration, then for responders such as static files. */
export async function chainsOf(app: Application): Promise<readonly Chain[]> {
  const findOwn = await createFinder(app);
  const routes = app.routes().map((route, index) => chainOf(route, findOwn(route, index)));
  const names = new Map<string, number>();
  const responders = registrationsOf(app).responders.map(({ prefix, functions }): Chain => {
    const [responder] = functions.slice(-1);
    const { name = '', public: reason } = descriptionOf(responder) ?? {};
    const route = `USE ${prefix} ${name}`;
    const number = (names.get(route) ?? 0) + 1;
    names.set(route, number);
    return {
      route: number === 1 ? route : `${route} ${number}`,
      ...(reason !== undefined && { public: reason }),
      isBuiltIn: false,
      steps: functions.slice(0, -1).flatMap((one) => stepsOf(one)),
      at: responder && locatorOf(responder)?.(),
    };
  });
  return [...routes, ...responders];
}

/** The functions of a route besides those of the application, and the steps that its handler runs before its work. */
interface Own {
  readonly functions: readonly (readonly [run: object, name: string | undefined])[];
  readonly guards: readonly (readonly [guard: object, name: string | undefined])[];
}

/** Creates the function that finds what is a route's own, in a project with or without controllers. */
async function createFinder(app: Application): Promise<(route: Route, index: number) => Own> {
  const controllers = await importOptional(
    '@fairlead/controllers',
    () => import('@fairlead/controllers'),
  );
  const plain = ({ handlers }: Route): Own => ({
    functions: handlers.slice(0, -1).map((one) => [one, undefined] as const),
    guards: [],
  });
  if (controllers === undefined) return plain;
  const { checkingGuards } = await import('@fairlead/controllers/extend');
  const described = controllers.describeRoutes(app);
  return (route, index) => {
    const { definition, middleware = [], guards = [] } = described[index] ?? {};
    if (definition === undefined) return plain(route);
    const before = route.handlers.slice(0, -1);
    const { length } = definition.middleware;
    // Between them may be functions that controllers need themselves.
    const listed = [
      ...before.slice(0, middleware.length - length),
      ...(length > 0 ? before.slice(-length) : []),
    ];
    return {
      functions: listed.map((run, place) => [run, middleware[place]] as const),
      guards: checkingGuards(route.handlers.at(-1)).map(
        (guard, place) => [Object(guard), guards[place]] as const,
      ),
    };
  };
}

function chainOf(
  { method, pattern, options, handlers, upstream = [], partial = [], router }: Route,
  own: Own,
): Chain {
  const handler = handlers.at(-1);
  const at = locatorOf(options)?.();
  const described = descriptionOf(handler);
  const reason = options.public ?? described?.public;
  const guards = own.guards.flatMap(([guard, name]) => stepsOf(guard, name, at, 'guard'));
  const late = own.functions.findIndex(([run]) => descriptionOf(run)?.afterGuards === true);
  const ofHandler = described?.security.length ? stepsOf(handler ?? {}) : [];
  const partlyAt = (place: number): readonly Step[] =>
    partial.flatMap(({ index, prefix, middleware }) =>
      index === place ? stepsOf(middleware).map((step) => ({ ...step, below: prefix })) : [],
    );
  return {
    route: `${opensWebSocket(handlers) ? 'WS' : method} ${pattern}${options.version === undefined ? '' : ` version ${options.version}`}`,
    ...(reason !== undefined && { public: reason }),
    isBuiltIn: options.public === undefined && reason !== undefined,
    rules: router?.rules,
    steps: [
      ...upstream.flatMap((one, place) => [...partlyAt(place), ...stepsOf(one)]),
      ...partlyAt(upstream.length),
      ...own.functions.flatMap((one, index) =>
        index === late ? [...guards, ...stepsOf(...one, at).slice(-1)] : stepsOf(...one, at),
      ),
      ...(late === -1 ? guards : []),
      ...ofHandler.map((step) => ({ ...step, kind: 'handler' as const })),
    ],
    at,
  };
}

/** Describes which requests of the route a step runs for, after its name. */
export function describeBelow(below: string | undefined): string {
  return below === undefined ? '' : ` below ${below}`;
}

/** Returns the steps of a function: itself, after those that it runs. */
function stepsOf(run: object, name?: string, at?: string, kind?: 'guard'): readonly Step[] {
  return flatten([run]).map((one): Step => {
    const description = descriptionOf(one);
    const known = description?.name ?? (one === run ? name : undefined);
    return {
      kind: kind ?? (description?.role === 'guard' ? 'guard' : 'middleware'),
      name: known ?? nameOf(one as { readonly name: string }),
      needs: needsOf(description?.security ?? []),
      ...(description?.limit !== undefined && { limit: description.limit }),
      at: locatorOf(one)?.() ?? at,
    };
  });
}

/** Lists the ways to authenticate, in a form that does not depend on their order. */
function needsOf(security: Security): Needs {
  const ways = waysOf(security).map((way) => [...new Set(way)].sort());
  const byText = new Map(ways.map((way) => [JSON.stringify(way), way]));
  return [...byText].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, way]) => way);
}

function waysOf(security: Security): Needs {
  if ('anyOf' in security) return security.anyOf.flatMap(waysOf);
  if ('name' in security) {
    const { name, scopes = [] } = security;
    return [[name, ...scopes.map((scope) => `${name}:${scope}`)]];
  }
  return security
    .map(waysOf)
    .reduce<Needs>(
      (some, others) => some.flatMap((one) => others.map((other) => [...one, ...other])),
      [[]],
    );
}

/** Whether everything that passes one step meets what another one demands. */
export function implies(one: Needs, other: Needs): boolean {
  return missingWays(one, other).length === 0;
}

/** Lists the ways through one step that do not meet what another one demands. */
export function missingWays(one: Needs, other: Needs): Needs {
  return one.filter((way) => !other.some((needed) => needed.every((name) => way.includes(name))));
}

/** Whether a step lets every request pass, as far as its description tells. */
export function isOpen(needs: Needs): boolean {
  return needs.some((way) => way.length === 0);
}

/** Describes what a step demands: `bearer:admin or bearer:auditor`. Empty if it is not known. */
export function describeNeeds(needs: Needs): string {
  if (needs.every((way) => way.length === 0)) return '';
  return needs.map(describeWay).join(' or ');
}

/** Describes a way to authenticate. A scope tells its scheme, too. */
export function describeWay(way: readonly string[]): string {
  if (way.length === 0) return 'no credentials';
  const isTold = (name: string) => way.some((other) => other.startsWith(`${name}:`));
  return way.filter((name) => !isTold(name)).join(' and ');
}
