import type { Application } from '@fairlead/core';
import { registrationsOf } from '@fairlead/core/extend';
import { describeToken, type Token } from '@fairlead/di';
import type { Locate } from '@fairlead/options';
import { findDoubts, findMistakes } from '../checks/rules.js';
import type { RegisteredController } from '../definition/built-route.js';
import { definitionOf } from '../definition/definition.js';
import { describeLostServices, isController } from '../discovery/lost-classes.js';
import { attempt, listNames, throwProblems } from '../errors.js';
import { type Requirement, requiredTokens } from '../instances/instances.js';
import { undiscovered } from '../metadata/class-metadata.js';
import type { PluginLogger, PluginSettings } from '../options.js';
import { type BuildContext, buildController, createBuildContext } from '../routes/build-routes.js';
import { findProblems, registerControllers } from '../routes/register-controller.js';
import { findControllers } from './find-controllers.js';

type StartSettings = Pick<
  PluginSettings,
  'problems' | 'router' | 'routing' | 'versionIn' | 'sources'
>;

/**
 * Discovers and checks controllers, then builds and registers their routes. Registers nothing if there
 * is a problem. A problem does not end the search for others, of this plugin and of the application.
 */
export async function start(
  app: Application,
  { problems: optionProblems, router, routing, versionIn, sources }: StartSettings,
  log: PluginLogger,
  locate: Locate,
): Promise<readonly RegisteredController[]> {
  const { discovery, listed, isIntended } = sources;
  const isEmpty = discovery === undefined && listed.length === 0;
  if (isEmpty && optionProblems.length === 0 && !isIntended)
    log.warn('no controllers to register: set root, or pass the options to intended()');
  const found = await findControllers(sources, log, locate);
  for (const target of found.classes) undiscovered.delete(target);
  const isInPath = (versionIn ?? (app.versions ? 'request' : 'path')) === 'path';
  const attempts = found.classes.map((target) => attempt(() => definitionOf(target, isInPath)));
  const definitions = attempts.flatMap(({ value }) => value ?? []);
  const context = createBuildContext(routing, log.warn);
  const { instances, prefix } = context;
  const eager = [...(instances.container.eagerTokens?.() ?? []), ...found.services];
  const tokens = requiredTokens(definitions, context.shared, eager);
  for (const controller of found.classes.filter(isController)) {
    // A controller without a definition has problems, but its dependencies may have others.
    const description = `the controller ${describeToken(controller)}`;
    if (!tokens.has(controller)) tokens.set(controller, { description, controller });
  }
  const problems: Error[] = [
    ...optionProblems,
    ...found.problems,
    ...attempts.flatMap((result) => result.problems),
    ...findProblems(router, definitions, context, tokens),
    ...findMistakes('placed', { definitions, prefix, mounts: undefined }),
  ];
  const classes = instances.classesOf([...tokens.keys()]);
  const doubts = [
    ...findDoubts('application', definitions),
    ...definitions.flatMap((one) => findDoubts('controller', one)),
    ...findDoubts('classes', classes),
    ...describeLostServices(found.files, classes),
  ];
  for (const text of doubts) log.warn(text);
  problems.push(...(await buildInstances(context, tokens, problems, log)));
  const controllers = definitions.map((definition) => buildController(definition, context));
  problems.push(...context.problems.values());
  if (problems.length > 0) {
    const registered = registrationsOf(app, router);
    const likely = findMistakes('placed', { definitions, prefix, mounts: registered.prefixes });
    throwProblems([...problems, ...likely, ...registered.problems], locate);
  }
  for (const { name, routes } of registerControllers(router, controllers, context)) {
    log.debug(`registered ${name}`);
    for (const { method, path } of routes) log.debug(`${method} ${path}`);
  }
  return controllers;
}

/** Milliseconds after which a warning names the factories that have not settled. */
const SLOW_FACTORY = 10_000;

/** Cloudflare Workers refuse timers during the startup, and end one that does not settle. */
const MAY_SET_TIMERS = globalThis.navigator?.userAgent !== 'Cloudflare-Workers';

/**
 * Builds all shared instances. If a factory does not settle, a warning names it, together with the
 * problems that the startup would report after it.
 */
async function buildInstances(
  { instances }: BuildContext,
  tokens: ReadonlyMap<Token, Requirement>,
  known: readonly Error[],
  log: PluginLogger,
): Promise<readonly Error[]> {
  let hasWarned = false;
  const warn = (reason: string): void => {
    const pending = (instances.container.pendingTokens?.() ?? []).map(describeToken);
    if (hasWarned || pending.length === 0) return;
    hasWarned = true;
    const fix = 'make its factory settle, for example with a timeout.';
    log.warn(`still waiting for ${listNames(pending)} ${reason}.\n  Fix: ${fix}`);
    for (const { message } of known) log.warn(`the startup will fail: ${message}`);
  };
  const timer = MAY_SET_TIMERS
    ? setTimeout(warn, SLOW_FACTORY, `after ${SLOW_FACTORY / 1_000} seconds`).unref()
    : undefined;
  // Node then exits without naming the factory.
  const onIdle = (): void => warn('although the process has nothing else to do');
  process.once('beforeExit', onIdle);
  try {
    return await instances.build(tokens);
  } finally {
    clearTimeout(timer);
    process.removeListener('beforeExit', onIdle);
  }
}
