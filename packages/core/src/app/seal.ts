import { isIntended, warn } from '@fairlead/options';
import { throwProblems } from '../errors/setup-error.js';
import type { Context } from '../exchange/context.js';
import type { Environment, RouteTable } from '../exchange/exchange.js';
import { describeStacks } from '../middleware/error-handler.js';
import { assertTarget, createLastMiddleware } from '../middleware/not-found-handler.js';
import { after } from '../next.js';
import { compose, type Middleware, Sample, type Step } from '../pipeline/pipeline.js';
import { type CheckedMounts, checkMounts } from '../router/check-mounts.js';
import {
  checkOrder,
  checkUpstream,
  type Entry,
  type OrderFindings,
} from '../router/check-order.js';
import { checkRoutes } from '../router/check-routes.js';
import { createShield, hasForeignBehindPrefix } from '../router/foreign.js';
import {
  createMount,
  createPrefixStep,
  type ListUpstream,
  type MountedRouter,
} from '../router/mount.js';
import { createIsBelow, type IsBelow, type PathRules } from '../router/pattern.js';
import { type AnyRouter, sealRouter } from '../router/router.js';
import { describeUnknown } from '../schema/route-schemas.js';
import type { Settings } from './options.js';

/** What handles the requests of a sealed application. */
export interface SealedApplication {
  readonly pipeline: Middleware;
  /** The pipeline for requests with a malformed target. */
  readonly refusalPipeline: Middleware;
  readonly environment: Environment<Context>;
}

export function routersOf(entries: readonly Entry[]): readonly MountedRouter[] {
  return entries.filter((entry) => 'router' in entry);
}

/** Returns rules by which a prefix matches every path that a route below it may match. */
function prefixRulesOf(entries: readonly Entry[], { rules, notFound }: Settings): PathRules {
  const routers = routersOf(entries).map(({ router }) => router);
  const isSensitive = [{ rules }, ...routers].every((one) => one.rules.caseSensitive);
  // Express ignores case.
  const last = notFound === undefined ? [] : [notFound];
  const caseSensitive = isSensitive && !hasForeignBehindPrefix([...entries, ...last]);
  return { ...rules, caseSensitive };
}

/** Returns, for each router among the entries, what runs before its routes. */
export function upstreamsOf(
  entries: readonly Entry[],
  settings: Settings,
): ReadonlyMap<MountedRouter, ListUpstream> {
  const rules = prefixRulesOf(entries, settings);
  const before: { readonly middleware: readonly Middleware[]; covers: IsBelow }[] = [];
  const upstreams = new Map<MountedRouter, ListUpstream>();
  for (const entry of entries) {
    if (typeof entry === 'function') before.push({ middleware: [entry], covers: () => true });
    else if ('middleware' in entry) {
      before.push({ middleware: entry.middleware, covers: createIsBelow(entry.prefix, rules) });
    } else {
      const above = [...before];
      upstreams.set(entry, (segments) =>
        above.flatMap(({ middleware, covers }) => (covers(segments) ? middleware : [])),
      );
    }
  }
  return upstreams;
}

/**
 * Finds what is wrong with the mounts and the order of all entries.
 *
 * @param isComplete - Whether nothing else can be registered.
 * @param unfilled - A router to which routes will be added.
 */
export function check(
  entries: readonly Entry[],
  settings: Settings,
  isComplete: boolean,
  unfilled?: AnyRouter,
): CheckedMounts & Pick<OrderFindings, 'warnings'> {
  const { routes, problems } = checkMounts(routersOf(entries));
  const rules = prefixRulesOf(entries, settings);
  const misplaced = checkOrder(entries, routes, rules, unfilled);
  const late = checkUpstream(isComplete ? entries : [], routes, rules);
  return {
    routes,
    problems: [...problems, ...misplaced, ...late.problems],
    warnings: late.warnings,
  };
}

/**
 * Checks the registrations, and composes the pipelines.
 *
 * @param app - For `ctx.app`, and for warnings about its options.
 * @param ready - Returns the problems that plugins find.
 * @param closing - Aborts when the application closes.
 * @throws {Error} For all problems.
 */
export function seal(
  entries: readonly Entry[],
  settings: Settings,
  app: object,
  ready: () => readonly Error[],
  closing: AbortSignal,
): SealedApplication {
  const { errors, notFound, readClient, schemas, validationStatus } = settings;
  for (const { router } of routersOf(entries)) sealRouter(router);
  const { routes, problems, warnings } = check(entries, settings, true);
  const schemaProblems: Error[] = [];
  const unknown = new Map<string, Set<string>>();
  const mounts: RouteTable[] = [];
  const rules = prefixRulesOf(entries, settings);
  const upstreams = upstreamsOf(entries, settings);
  const steps: Step[] = entries.map((entry, index) => {
    const shield = createShield(entries.slice(0, index), rules);
    if (typeof entry === 'function') return shield(entry);
    if ('middleware' in entry) {
      return createPrefixStep({ ...entry, middleware: entry.middleware.map(shield) }, rules);
    }
    const mounted = routes.get(entry) ?? [];
    const mount = createMount(
      entry.router.rules,
      mounted.map((route) => ({ ...route, handlers: route.handlers.map(shield) })),
      upstreams.get(entry) ?? (() => []),
      schemas,
      schemaProblems,
      unknown,
    );
    mounts.push(mount);
    return mount;
  });
  throwProblems([...problems, ...schemaProblems, ...ready()]);
  for (const message of warnings) warn('FAIRLEAD_ORDER', message);
  const doubts = checkRoutes(entries, routes, upstreams, rules);
  for (const [code, message] of doubts) warn(code, message);
  const stacks = describeStacks('createApp()', errors);
  if (stacks !== undefined && !isIntended(app)) warn('FAIRLEAD_OPTION', stacks);
  for (const message of describeUnknown(unknown)) warn('FAIRLEAD_UNKNOWN_RESPONSE', message);
  steps.push(createLastMiddleware(notFound && createShield(entries, rules)(notFound)));
  return Object.freeze({
    pipeline: compose(steps),
    refusalPipeline: compose(steps.map(refuseTarget)),
    environment: Object.freeze({
      app,
      routes: {
        methods: (path: string) => new Set(mounts.flatMap((mount) => [...mount.methods(path)])),
      },
      errors,
      readClient,
      sample: new Sample(),
      closing,
      validationStatus,
    }),
  });
}

/** Contexts whose refusal pipeline has failed once. Middleware may have handled the error since. */
const failed = new WeakSet<Context>();

/**
 * Wraps a step for the refusal pipeline. Middleware still runs, so that loggers and error handlers see the
 * request. The first middleware to return without an error then fails with 400. A router fails with 400
 * without running. A response that was taken over or sent stays as is.
 */
function refuseTarget(step: Step): Middleware {
  const middleware = typeof step === 'function' ? step : assertTarget;
  return (ctx, next) =>
    after(
      () => middleware(ctx, next) as void | Promise<void>,
      () => {
        if (failed.has(ctx) || ctx.takenOver || ctx.res.headersSent) return;
        failed.add(ctx);
        assertTarget(ctx);
      },
      () => failed.add(ctx),
    );
}
