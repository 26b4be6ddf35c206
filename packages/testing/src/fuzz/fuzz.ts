import { randomInt } from 'node:crypto';
import { type Application, SetupError } from '@fairlead/core';
import { assertOptions, sharesVersion } from '@fairlead/core/extend';
import {
  arrayOf,
  fn,
  hideProperties,
  integer,
  type Kinds,
  kind,
  nearestName,
  nonEmptyString,
  numberMessages,
  positiveMilliseconds,
} from '@fairlead/options';
import { Links } from './chains.js';
import { type Exploration, explore } from './explore.js';
import { isSecured, type Operation, readApi } from './operations.js';
import { type Experiment, Promises, type Setting } from './promises.js';
import { Redaction, toCommands, toTest } from './report.js';
import { Sender } from './send.js';
import { Values } from './values.js';
import { type FuzzRule, RULES, type Violation } from './violations.js';

/** A route that needs credentials. */
export interface FuzzedRequest {
  /** In upper case. */
  readonly method: string;
  /** Such as `/users/:id`. */
  readonly pattern: string;
}

/** Options of {@link fuzz}. */
export interface FuzzOptions {
  /** Requests of each kind for each route, 1 to 10,000; 20 by default. */
  readonly runs?: number;
  /** Repeats the requests of an earlier call, which has told its seed: 0 to 4,294,967,295. Random by default. */
  readonly seed?: number;
  /** The routes to send requests to, such as `GET /users/:id`, or `/users` for those at and below a path. */
  readonly routes?: readonly string[];
  /** Headers of requests that should be let in. No report contains their values. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Returns further headers of a request that should be let in, such as for another user by route. */
  readonly authenticate?: (
    request: FuzzedRequest,
  ) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /** Promises not to check: for every route, as in `etag`, or for one, as in `etag PUT /users/:id`. */
  readonly skip?: readonly string[];
  /** How long a response may take, in milliseconds; 10 seconds by default. */
  readonly timeout?: number;
}

/** A promise that a route does not keep. */
export interface FuzzFailure {
  readonly rule: FuzzRule;
  /** Such as `GET /users/:id`, or `GET /users/:id (version 2)`. */
  readonly route: string;
  readonly message: string;
  /** Commands that send the requests, to paste into a shell. */
  readonly commands: string;
  /** A test that fails. */
  readonly test: string;
}

/** What was sent to a route. */
export interface FuzzedRoute {
  readonly route: string;
  /** How many responses to generated requests had each status. */
  readonly statuses: Readonly<Record<number, number>>;
  /** How many requests fit the document, but not the schemas of the route. */
  readonly refused: number;
  /** What keeps the route from being tested, such as missing credentials. */
  readonly notes: readonly string[];
}

/** What {@link fuzz} found. */
export interface FuzzReport {
  /** Repeats it. */
  readonly seed: number;
  /** Of all kinds. */
  readonly requests: number;
  readonly routes: readonly FuzzedRoute[];
  readonly failures: readonly FuzzFailure[];
}

/** An application does not keep its promises. */
export class FuzzError extends Error {
  readonly code = 'FUZZ_FAILED';
  readonly report: FuzzReport;

  /** @param report - Has a failure. */
  constructor(report: FuzzReport) {
    const { failures, seed } = report;
    const number = `${failures.length} ${failures.length === 1 ? 'failure' : 'failures'}`;
    super(numberMessages(`${number} with the seed ${seed}.`, failures.map(describeFailure)));
    this.name = 'FuzzError';
    this.report = report;
    hideProperties(this, 'report');
  }
}

function describeFailure({ route, rule, message, commands, test }: FuzzFailure): string {
  return `${route} (${rule})\n${message}\n\n${commands}\n\n${test}`;
}

const KINDS: Kinds<FuzzOptions> = {
  runs: integer(1, 10_000),
  seed: integer(0, 0xffff_ffff),
  routes: arrayOf(nonEmptyString, 'an array of routes such as GET /users/:id'),
  headers: kind(
    'an object of texts',
    (value) =>
      typeof value === 'object' &&
      Object.values(value ?? {}).every((one) => typeof one === 'string'),
  ),
  authenticate: fn,
  skip: arrayOf(nonEmptyString, 'an array of promises such as etag'),
  timeout: positiveMilliseconds,
};

/**
 * Sends generated requests to every route that a document describes, in process, and checks what the application
 * promises. Turns on the check of responses, unless the application has handled requests. Changes its data.
 *
 * @param app - An application, or one from `createTestApp()`.
 * @returns What was sent.
 * @throws {FuzzError} When a promise is not kept.
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid, or names no route.
 * @throws The errors of `app.seal()` and of `describeOperations()`.
 */
export async function fuzz(
  app: Application | { readonly app: Application },
  options: FuzzOptions = {},
): Promise<FuzzReport> {
  assertOptions('fuzz()', options, KINDS);
  const application = 'app' in app ? app.app : app;
  prepare(application);
  const { runs = 20, seed = randomInt(2 ** 32), timeout = 10_000 } = options;
  const api = readApi(application);
  const ignored = parseSkips(options.skip ?? [], api.operations);
  const selected = select(api.operations, options.routes);
  const redaction = new Redaction();
  const credentialsOf = async ({ method, route }: Operation) => {
    const own = await options.authenticate?.({ method, pattern: route.pattern });
    const credentials = { ...options.headers, ...own };
    redaction.add(credentials);
    return credentials;
  };
  const sender = new Sender(application, timeout);
  const logs = new Map(selected.map((one) => [one, new Log(one)]));
  const setting = {
    sender,
    credentialsOf,
    values: new Values(api.schemas),
    hanging: new Set<Operation>(),
    count: (operation: Operation, { status }: { readonly status: number }, kind: string) =>
      logs.get(operation)?.add(status, kind),
  };
  // As for a client, which uses one version.
  const linked = new Map<string | undefined, Pick<Setting, 'api' | 'links'>>();
  const linkedFor = (operation: Operation) => {
    const { version } = operation.route.options;
    const known = linked.get(version);
    if (known !== undefined) return known;
    const operations = api.operations.filter(({ route }) =>
      sharesVersion(route.options.version, version),
    );
    const found = { api: { ...api, operations }, links: new Links(operations, api.schemas) };
    linked.set(version, found);
    return found;
  };
  const failures: FuzzFailure[] = [];
  try {
    for (const operation of selected) {
      const own = { runs, seed: seedOf(seed, operation.label), ignored: ignored(operation) };
      const promises = new Promises(operation, { ...setting, ...linkedFor(operation) }, own.seed);
      const violations = await explorePromises(promises, own, logs.get(operation));
      for (const violation of violations) {
        const faulty = faultyOf(violation) ?? operation;
        const { label } = faulty;
        const isKnown = failures.some((one) => one.rule === violation.rule && one.route === label);
        if (!isKnown && !ignored(faulty).has(violation.rule))
          failures.push(toFailure(violation, label, redaction));
      }
    }
  } finally {
    sender.close();
  }
  const report: FuzzReport = {
    seed,
    requests: sender.count,
    routes: [...logs.values()].map((log) => log.finish()),
    failures,
  };
  if (failures.length > 0) throw new FuzzError(report);
  return report;
}

/** Seals an application that checks its responses, unless it was sealed before. */
function prepare(app: Application): void {
  try {
    app.checkResponses();
  } catch (error) {
    // Also accepts one from another copy of core.
    if (!(error instanceof Error) || Reflect.get(error, 'code') !== 'APPLICATION_SEALED')
      throw error;
  }
  app.seal();
}

interface Limits {
  readonly runs: number;
  readonly seed: number;
  readonly ignored: ReadonlySet<FuzzRule>;
}

/** Runs all experiments with an operation. Returns one violation for each rule. */
async function explorePromises(
  promises: Promises,
  limits: Limits,
  log: Log | undefined,
): Promise<readonly Violation[]> {
  const found: Violation[] = [];
  let count = 0;
  const run = async <Case>(experiment: Experiment<Case> | undefined, runs: number) => {
    if (experiment === undefined || promises.isHanging) return undefined;
    const ignored = new Set([...limits.ignored, ...found.map(({ rule }) => rule)]);
    const result: Exploration = await explore(experiment.cases, experiment.run, {
      // The same values again would be taken, where they have to be unique.
      seed: (limits.seed + count++) | 0,
      runs: Math.ceil(runs),
      ignored,
    });
    found.push(...result.violations);
    return result;
  };
  const { runs } = limits;
  const { isChained } = promises;
  const chained = await run(promises.valid(true), runs);
  const isCreated = chained !== undefined && chained.runs > 0;
  if (!isCreated) promises.giveUpCreating();
  const alone = await run(promises.valid(false), isCreated ? runs / 2 : runs);
  if (!promises.isHanging) {
    if (alone === undefined) log?.note('no generator knows the media type of its body');
    else if (isChained && !isCreated) log?.note('what its path names could not be created');
    for (const name of promises.unlinked) log?.note(`what ${name} names could not be created`);
  }
  await run(promises.invalid(), runs);
  await run(promises.access(), Math.min(runs, 10));
  await run(promises.life(), runs / 2);
  return found;
}

/** Counts the responses of a route. */
class Log {
  readonly #operation: Operation;
  readonly #statuses = new Map<number, number>();
  readonly #notes: string[] = [];
  #refused = 0;
  #valid = 0;

  constructor(operation: Operation) {
    this.#operation = operation;
  }

  add(status: number, kind: string): void {
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    if (kind === 'refused') this.#refused += 1;
    if (kind === 'valid') this.#valid += 1;
  }

  note(text: string): void {
    this.#notes.push(text);
  }

  finish(): FuzzedRoute {
    const statuses = [...this.#statuses].sort(([one], [other]) => one - other);
    const isLetIn = statuses.some(([status]) => status !== 401 && status !== 403 && status !== 400);
    const isSecret = isSecured(this.#operation);
    const notes = [
      ...this.#notes,
      ...(isSecret && !isLetIn ? ['needs credentials'] : []),
      ...(this.#valid === 0 && this.#refused > 0 ? ['every request is refused as invalid'] : []),
    ];
    return {
      route: this.#operation.label,
      statuses: Object.fromEntries(statuses),
      refused: this.#refused,
      notes,
    };
  }
}

/** Returns the operation whose response is at fault, which may be one that creates what another one needs. */
function faultyOf({ rule, exchanges }: Violation): Operation | undefined {
  const isOfResponse = rule === 'server-error' || rule === 'no-response' || rule === 'response';
  return isOfResponse ? exchanges.at(-1)?.request.operation : undefined;
}

/** Whether a text is the label of an operation, with or without its version. */
function isCalled(text: string, { label, name }: Operation): boolean {
  return text === label || text === name;
}

function toFailure(violation: Violation, route: string, redaction: Redaction): FuzzFailure {
  const { rule, message, exchanges } = violation;
  return {
    rule,
    route,
    message: redaction.apply(message),
    commands: toCommands(exchanges, redaction),
    test: toTest(violation, route, redaction),
  };
}

/** Gives each route its own seed, so that it gets the same requests alone. FNV-1a */
function seedOf(seed: number, label: string): number {
  let hash = seed ^ 0x811c9dc5;
  for (const one of label) hash = Math.imul(hash ^ (one.codePointAt(0) ?? 0), 0x01000193);
  return hash | 0;
}

/** @throws {SetupError} `INVALID_OPTION`, when a text names no route. */
function select(
  operations: readonly Operation[],
  routes: readonly string[] | undefined,
): readonly Operation[] {
  if (routes === undefined) return operations;
  const isNamed = (text: string, operation: Operation): boolean => {
    if (!text.startsWith('/')) return isCalled(text, operation);
    return `${operation.route.pattern}/`.startsWith(`${text.replace(/\/$/, '')}/`);
  };
  for (const text of routes) {
    if (operations.some((one) => isNamed(text, one))) continue;
    const nearest = nearestName(
      text,
      operations.map(({ label }) => label),
    );
    const fix =
      nearest === undefined ? 'Use one such as GET /users/:id.' : `Did you mean '${nearest}'?`;
    throw new SetupError('INVALID_OPTION', `fuzz() knows no route '${text}'. ${fix}`);
  }
  return operations.filter((one) => routes.some((text) => isNamed(text, one)));
}

/** @throws {SetupError} `INVALID_OPTION`, when a text names no promise, or no route. */
function parseSkips(
  skip: readonly string[],
  operations: readonly Operation[],
): (operation: Operation) => ReadonlySet<FuzzRule> {
  const parsed = skip.map((text) => {
    const [name = '', ...rest] = text.split(' ');
    const label = rest.join(' ');
    const rule = RULES.find((one) => one === name);
    if (rule === undefined) {
      const nearest = nearestName(name, RULES) ?? 'etag';
      throw new SetupError(
        'INVALID_OPTION',
        `fuzz() knows no promise '${name}'. Did you mean '${nearest}'?`,
      );
    }
    if (label !== '' && !operations.some((one) => isCalled(label, one))) {
      const nearest = nearestName(
        label,
        operations.map((one) => one.label),
      );
      const fix = nearest === undefined ? 'Remove it.' : `Did you mean '${nearest}'?`;
      throw new SetupError('INVALID_OPTION', `fuzz() knows no route '${label}' to skip. ${fix}`);
    }
    return { rule, label };
  });
  return (operation) =>
    new Set(
      parsed
        .filter(({ label }) => label === '' || isCalled(label, operation))
        .map(({ rule }) => rule),
    );
}
