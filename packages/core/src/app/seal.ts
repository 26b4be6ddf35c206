import { atLine, isIntended, warn } from '@fairlead/options';
import type { Layout } from '../checks/layout.js';
import { findWarnings } from '../checks/rules.js';
import type { Context } from '../context/context.js';
import { HttpError } from '../errors/http-error.js';
import { after } from '../exchange/after-next.js';
import type { Environment, Exchange } from '../exchange/exchange.js';
import { describeStacks, policyOf } from '../middleware/error-handler.js';
import { assertTarget } from '../middleware/method-not-allowed.js';
import { createLastMiddleware } from '../middleware/not-found-handler.js';
import { compose, type Middleware, type Step, traceMiddleware } from '../pipeline/pipeline.js';
import { Sample } from '../pipeline/sample.js';
import { traced } from '../pipeline/tracing.js';
import { createEntrance } from '../router/entrance.js';
import { takesRequest } from '../router/fetch-handler.js';
import { createMount, createPrefixStep, type Entry, type MountedRoutes } from '../router/mount.js';
import type { RouteOptions } from '../router/route-options.js';
import { takeUnreported } from '../router/router.js';
import { describeUnknown } from '../schema/response-writer.js';
import { throwProblems } from '../setup/setup-error.js';
import type { Settings } from './options.js';

/** What handles the requests of a sealed application. */
export interface SealedApplication {
  readonly pipeline: Middleware;
  /** The pipeline for requests with a malformed target. */
  readonly refusalPipeline: Middleware;
  readonly environment: Environment<Context>;
}

/**
 * Checks the registrations, and composes the pipelines.
 *
 * @param problems - Those of the registrations.
 * @param ready - Returns the problems that plugins find.
 * @param closing - Returns a signal that aborts when the application closes.
 * @throws {Error} For all problems.
 */
export function seal(
  entries: readonly Entry[],
  layout: Layout,
  settings: Settings,
  app: object,
  problems: readonly Error[],
  ready: () => readonly Error[],
  closing: () => AbortSignal,
): SealedApplication {
  const { errors, notFound, readClient, schemas, validationStatus, versions } = settings;
  const { rules } = layout;
  const schemaProblems: Error[] = [];
  const unknown = new Map<string, Map<string, RouteOptions>>();
  const mounts: MountedRoutes[] = [];
  const steps: Step[] = entries.flatMap((entry, index): readonly Step[] => {
    const enter = createEntrance(entries.slice(0, index), rules);
    if ('middleware' in entry) {
      const { middleware: own, prefix } = entry;
      const middleware = own.map((one) => enter(one, own, prefix));
      return entry.prefix === '/'
        ? middleware.map(traceMiddleware)
        : [createPrefixStep({ ...entry, middleware }, rules)];
    }
    const routes = layout.mounts.get(entry) ?? [];
    const mount = createMount(
      entry.router.rules,
      routes.map((route) => {
        const { handlers, options, pattern } = route;
        // That of mount(), below which its handler must read every path.
        const prefix = takesRequest(options)
          ? pattern.text.slice(0, pattern.text.lastIndexOf('/'))
          : '/';
        return { ...route, handlers: handlers.map((one) => enter(one, handlers, prefix)) };
      }),
      schemas,
      schemaProblems,
      unknown,
      versions,
    );
    mounts.push(mount);
    return [mount];
  });
  for (const { message } of takeUnreported(problems))
    warn('FAIRLEAD_ROUTE', `A router that is not mounted has a problem: ${message}`);
  throwProblems([...problems, ...schemaProblems, ...ready()]);
  for (const [code, message] of findWarnings(layout)) warn(code, message);
  const stacks = describeStacks('createApp()', errors);
  if (stacks !== undefined && !isIntended(app)) warn('FAIRLEAD_OPTION', stacks + atLine(app));
  for (const message of describeUnknown(unknown)) warn('FAIRLEAD_UNKNOWN_RESPONSE', message);
  const takesAny = layout.routes.some(({ options }) => takesRequest(options));
  const last = createLastMiddleware(notFound && createEntrance(entries, rules)(notFound, []));
  const [first = last] = steps;
  steps.push(last);
  const publish = (run: Middleware) => traced('request', 'request', run);
  // A trace would show the errors that the error handler handles.
  const isTraced = publish(last) !== last;
  const policy = isTraced ? undefined : policyOf(first, errors);
  const begin = policy ? 1 : 0;
  return Object.freeze({
    pipeline: publish(compose(steps, begin)),
    refusalPipeline: publish(compose(steps.map(refuseTarget), begin)),
    environment: Object.freeze({
      app,
      routes: {
        methods: (path: string, exchange: Exchange) =>
          new Set(mounts.flatMap((mount) => [...mount.methods(path, exchange)])),
        ...(versions && {
          refuse: (exchange: Exchange) => {
            const { path } = exchange.target;
            const known = mounts.flatMap((mount) => mount.versions?.(path) ?? []);
            if (known.length === 0) return undefined;
            const [requested] = versions.requested(exchange.req.headers);
            const { status, message, options } = versions.refuse(path, requested, known);
            return new HttpError(status, message, options);
          },
        }),
        opens: (path: string) => mounts.some((mount) => mount.opens?.(path)),
        queryTypes: (path: string) => mounts.flatMap((mount) => mount.queryTypes(path)),
        ...(takesAny && {
          takesRequest: (exchange: Exchange) => {
            for (const mount of mounts) {
              const takes = mount.takesRequest(exchange);
              if (takes !== undefined) return takes;
            }
            return false;
          },
        }),
      },
      errors,
      outermost: policy ?? errors,
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
