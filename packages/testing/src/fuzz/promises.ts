import { isStandardSchema, type RouteInput } from '@fairlead/core';
import { contentOf } from '@fairlead/core/extend';
import { isJson } from '@fairlead/options';
import fc, { type Arbitrary } from 'fast-check';
import {
  type Creator,
  type FoundAt,
  findCreated,
  findInPath,
  type Identifier,
  type Links,
  namesOf,
  shapeOf,
} from './chains.js';
import { skip } from './explore.js';
import { type Fault, listFaults } from './faults.js';
import { type Api, isSecured, type Operation } from './operations.js';
import {
  canHaveBody,
  type Draft,
  type Found,
  fill,
  misfits,
  type Origin,
  validRequests,
  type Written,
  writeRequest,
} from './requests.js';
import type { Answer, Exchange, Sender } from './send.js';
import type { Values } from './values.js';
import { checkDescribed, checkServer, type FuzzRule, Violation } from './violations.js';

/** What all cases need. */
export interface Setting {
  readonly api: Api;
  readonly values: Values;
  readonly links: Links;
  readonly sender: Sender;
  /** Operations that did not respond once. No further request waits for them. */
  readonly hanging: Set<Operation>;
  /** Returns the credentials of valid requests. */
  readonly credentialsOf: (operation: Operation) => Promise<Readonly<Record<string, string>>>;
  /** Receives the response to a generated request. */
  readonly count: (
    operation: Operation,
    answer: Answer,
    kind: 'valid' | 'refused' | 'invalid',
  ) => void;
}

/** Cases, and how to run one. */
export interface Experiment<Case = unknown> {
  readonly cases: Arbitrary<Case>;
  readonly run: (one: Case, known: ReadonlySet<FuzzRule>) => Promise<void>;
}

/**
 * Drafts of the requests that create what others name, then that of the operation. Unless it is linked, its body and its
 * query name what the draft does, which probably does not exist.
 */
interface Chain {
  readonly created: readonly Draft[];
  readonly target: Draft;
  readonly isLinked: boolean;
}

const NO_CREDENTIALS = {};

/** Attempts in a row to create what a path names. Without credentials, none succeeds. */
const PATIENCE = 20;

/** Attempts in a row to create what only a body or a query names. */
const SHORT_PATIENCE = 5;

/** Further drafts of what could not be created, such as because a value is not unique. */
const REDRAWS = 3;

/** The experiments with one operation. */
export class Promises {
  readonly #setting: Setting;
  readonly #operation: Operation;
  readonly #seed: number;
  /** Empty once they turn out to create nothing. */
  #creators: readonly Creator[];
  /** What was sent in this case. */
  #sent: Exchange[] = [];
  /** Whether the body and the query of this case name what was created. */
  #isLinked = false;
  /** How often in a row an operation could not create anything. */
  readonly #failures = new Map<Operation, number>();
  #redraws = 0;

  constructor(operation: Operation, setting: Setting, seed: number) {
    this.#operation = operation;
    this.#setting = setting;
    this.#seed = seed;
    this.#creators = setting.links.creatorsOf(operation);
  }

  /** Whether the operation did not respond once. */
  get isHanging(): boolean {
    return this.#setting.hanging.has(this.#operation);
  }

  /** The names of what could not be created for bodies and queries. */
  get unlinked(): readonly string[] {
    const { links } = this.#setting;
    const failed = this.#creators.filter(
      ({ operation, isNeeded }) => !isNeeded && this.#hasFailed(operation, SHORT_PATIENCE),
    );
    const shapes = new Set(failed.map(({ resource }) => shapeOf(resource)));
    const references = links.referencesOf(this.#operation);
    return references
      .filter(({ resource }) => shapes.has(shapeOf(resource)))
      .map(({ path }) => path.filter((key) => key !== 0).join('.'));
  }

  /** Goes on with paths that probably name nothing. */
  giveUpCreating(): void {
    this.#creators = this.#creators.filter(({ isNeeded }) => !isNeeded);
  }

  /** Whether a path names what an operation creates. */
  get isChained(): boolean {
    return this.#creators.some(({ isNeeded }) => isNeeded);
  }

  /** Valid requests: responses are as described, ETags are honored, repetitions change nothing. */
  valid(isChained: boolean): Experiment<Chain> | undefined {
    if (isChained && !this.isChained) return undefined;
    const creators = this.#creators.filter(({ isNeeded }) => isChained || !isNeeded);
    const cases = this.#chains(this.#operation, creators);
    return cases && { cases, run: (chain, known) => this.#runValid(chain, creators, known) };
  }

  /** Requests with one fault: they are refused as invalid. */
  invalid(): Experiment<readonly [Chain, RequestFault]> | undefined {
    const { api } = this.#setting;
    const faults = faultsOf(this.#operation, api);
    // A fault of the body needs one.
    const withBody = { ...this.#operation, isBodyRequired: this.#operation.bodies.length > 0 };
    const chains = this.#chains(withBody, this.#creators);
    if (chains === undefined || faults.length === 0) return undefined;
    return {
      cases: fc.tuple(chains, fc.constantFrom(...faults)),
      run: ([chain, fault]) => this.#runInvalid(chain, fault),
    };
  }

  /** Requests without credentials, or with wrong ones: they are refused. */
  access(): Experiment<readonly [Chain, Readonly<Record<string, string>>]> | undefined {
    if (!isSecured(this.#operation)) return undefined;
    const chains = this.#chains(this.#operation, this.#creators);
    if (chains === undefined) return undefined;
    const wrong = fc.constantFrom(NO_CREDENTIALS, ...wrongCredentials(this.#operation));
    return {
      cases: fc.tuple(chains, wrong),
      run: ([chain, credentials]) => this.#runAccess(chain, credentials),
    };
  }

  /** What was created can be read, also after changes, until it is deleted. */
  life(): Experiment<readonly [Chain, readonly Draft[]]> | undefined {
    const { operations } = this.#setting.api;
    const last = this.#last;
    // It is run once for each resource, by the operation that reads it.
    if (this.#operation.method !== 'GET' || last?.resource !== this.#operation.path)
      return undefined;
    const at = (method: string) =>
      operations.filter(
        (one) => one.method === method && shapeOf(one.path) === shapeOf(last.resource),
      );
    const steps = [...at('PATCH'), ...at('PUT'), ...at('DELETE')];
    const creators = this.#setting.links.creatorsOf(this.#operation, steps);
    const chains = this.#chains(this.#operation, creators);
    const drafts = steps.map((one) => validRequests(one, this.#setting.values));
    if (chains === undefined) return undefined;
    const known = steps.flatMap((step, index) => {
      const draft = drafts[index];
      return draft === undefined ? [] : [[step, draft] as const];
    });
    return {
      cases: fc.tuple(chains, fc.tuple(...known.map(([, draft]) => draft))),
      run: ([chain, changes], rules) =>
        this.#runLife(
          chain,
          creators,
          known.map(([step]) => step),
          changes,
          rules,
        ),
    };
  }

  #chains(operation: Operation, creators: readonly Creator[]): Arbitrary<Chain> | undefined {
    const { values } = this.#setting;
    const target = validRequests(operation, values);
    const created = creators.map((one) => validRequests(one.operation, values));
    const known = created.filter((one) => one !== undefined);
    if (target === undefined || known.length < created.length) return undefined;
    // Most cases name what exists.
    const isLinked = fc.nat(4).map((number) => number > 0);
    return fc.record({ created: fc.tuple(...known), target, isLinked });
  }

  async #send(request: Written, credentials?: Readonly<Record<string, string>>): Promise<Exchange> {
    const { hanging, sender, credentialsOf } = this.#setting;
    if (hanging.has(request.operation)) skip();
    const sent = credentials ?? (await credentialsOf(request.operation));
    const exchange = await sender.send(request, sent);
    this.#sent.push(exchange);
    if (exchange.response.status === 0) {
      hanging.add(request.operation);
      checkServer(this.#sent);
    }
    return exchange;
  }

  /** Sends a request that is not part of the case unless it fails. */
  async #try(
    operation: Operation,
    draft: Draft,
    found: FoundAt,
    extra: Readonly<Record<string, string>> = {},
    told: Written['told'] = {},
  ): Promise<Exchange | undefined> {
    const request = writeRequest(operation, draft, this.#link(operation, draft, found));
    if (request === undefined || this.#setting.hanging.has(operation)) return undefined;
    return this.#send({ ...request, headers: { ...request.headers, ...extra }, told });
  }

  /** Lists the parts of a request that name what was found. */
  #link(operation: Operation, draft: Draft, found: FoundAt): readonly Found[] {
    const { links, api } = this.#setting;
    const inPath = findInPath(operation.path, found).map(
      (one): Found => ({ ...one, isNumber: false, place: 'path', path: [one.name] }),
    );
    if (operation === this.#operation && !this.#isLinked) return inPath;
    const named = links.referencesOf(operation).flatMap(({ place, path, resource }): Found[] => {
      const one = found.get(shapeOf(resource));
      const whole = place === 'query' ? draft.query : draft.body?.value;
      const value = path.reduce<unknown>((part, key) => Reflect.get(Object(part), key), whole);
      const isNumber = typeof value === 'number';
      if (one === undefined || !(isNumber || typeof value === 'string')) return [];
      if (isNumber && !Number.isFinite(Number(one.value))) return [];
      const name = String(path.findLast((key) => key !== 0));
      return [
        { ...one, name: name === 'id' ? `${String(path.at(-2))}Id` : name, isNumber, place, path },
      ];
    });
    const filled = fill(draft, named, ({ value, isNumber }) => (isNumber ? Number(value) : value));
    return named.length > 0 && misfits(operation, filled, api) ? inPath : [...inPath, ...named];
  }

  /** The operation that creates what the whole path names. */
  get #last(): Creator | undefined {
    return this.#creators.findLast(({ isNeeded }) => isNeeded);
  }

  #hasFailed(operation: Operation, patience: number): boolean {
    return (this.#failures.get(operation) ?? 0) >= patience;
  }

  /** Creates what the requests of a case name. */
  async #create(
    creators: readonly Creator[],
    { created, isLinked }: Chain,
  ): Promise<Map<string, Identifier>> {
    this.#sent = [];
    this.#isLinked = isLinked;
    const found = new Map<string, Identifier>();
    if (this.isHanging) skip();
    const last = creators.findLast(({ isNeeded }) => isNeeded);
    for (const [index, creator] of creators.entries()) {
      const { operation, isNeeded, resource } = creator;
      const draft = created[index];
      const isWanted = isNeeded || (isLinked && !this.#hasFailed(operation, SHORT_PATIENCE));
      if (draft === undefined || !isWanted) continue;
      if (isNeeded && this.#hasFailed(operation, PATIENCE)) skip();
      // A repeated DELETE must not delete another one, either.
      const isAnotherNeeded = creator === last && this.#operation.method === 'DELETE';
      if (isAnotherNeeded) await this.#createOne(creator, draft, found);
      const one = await this.#createOne(creator, draft, found);
      if (one !== undefined) found.set(shapeOf(resource), one);
      this.#failures.set(
        operation,
        one === undefined ? (this.#failures.get(operation) ?? 0) + 1 : 0,
      );
      if (one === undefined && isNeeded) skip();
    }
    return found;
  }

  /** Creates a resource, with another draft if the first one is refused, such as because it is not unique. */
  async #createOne(
    { operation, resource }: Creator,
    draft: Draft,
    found: FoundAt,
  ): Promise<Identifier | undefined> {
    for (let attempt = 0; attempt <= REDRAWS; attempt += 1) {
      const drawn = attempt === 0 ? draft : this.#redraw(operation, draft, attempt);
      if (misfits(operation, drawn, this.#setting.api)) continue;
      const exchange = await this.#try(operation, drawn, found);
      if (exchange === undefined) continue;
      checkServer(this.#sent);
      const one = findCreated(resource, exchange);
      if (one !== undefined) return one;
      this.#sent.pop();
      const { status } = exchange.response;
      if (status < 400 || UNDECIDED.has(status)) return undefined;
    }
    return undefined;
  }

  /** Returns a draft with other texts, and then one with nothing in common. */
  #redraw(operation: Operation, draft: Draft, attempt: number): Draft {
    const drafts = validRequests(operation, this.#setting.values);
    const seed = (this.#seed + ++this.#redraws) | 0;
    const [other = draft] =
      drafts === undefined ? [] : fc.sample(drafts, { seed, numRuns: 1, unbiased: true });
    if (attempt > 1 || draft.body === undefined || other.body?.type !== draft.body.type)
      return other;
    const value = withOtherTexts(draft.body.value, other.body.value);
    return { ...draft, body: { ...draft.body, value } };
  }

  /** Writes the request of a case. */
  #write(draft: Draft, found: FoundAt): Written {
    if (misfits(this.#operation, draft, this.#setting.api)) skip();
    return (
      writeRequest(this.#operation, draft, this.#link(this.#operation, draft, found)) ?? skip()
    );
  }

  async #runValid(
    chain: Chain,
    creators: readonly Creator[],
    known: ReadonlySet<FuzzRule>,
  ): Promise<void> {
    const { api, count } = this.#setting;
    const draft = chain.target;
    const found = await this.#create(creators, chain);
    const request = this.#write(draft, found);
    const checksTags = !known.has('etag');
    const before =
      checksTags && CHANGES.has(request.method) ? await this.#checkStale(draft, found) : undefined;
    const exchange = await this.#send(request);
    const { response } = exchange;
    const isRefused = isRefusal(response, api);
    count(this.#operation, response, isRefused ? 'refused' : 'valid');
    checkServer(this.#sent);
    checkDescribed(this.#sent, api);
    // The schema refuses more than JSON Schema can say.
    if (isRefused) skip();
    if (checksTags && request.method === 'GET') await this.#checkTag(request, response);
    if (before !== undefined && request.method !== 'DELETE' && isSuccess(response))
      await this.#checkChanged(draft, found, before);
    if (!known.has('repeat') && REPEATABLE.has(request.method) && isSuccess(response))
      await this.#checkRepeat(draft, found, exchange);
  }

  /** A client that has the current content gets 304. RFC 9110 §13.1.2 */
  async #checkTag(request: Written, answer: Answer): Promise<void> {
    const { status, headers } = answer;
    const tag = headers.get('ETag');
    if (status !== 200 || tag === null) return;
    const again = {
      ...request,
      headers: { ...request.headers, 'If-None-Match': tag },
      told: { 'If-None-Match': tagOf(answer) },
    };
    const { response } = await this.#send(again);
    if (response.status === 304) return;
    const now = response.headers.get('ETag');
    if (now !== tag) {
      // Content that changes with every request has another tag.
      if (response.status !== 200 || !answer.text || response.text !== answer.text) return;
      throw new Violation(
        'etag',
        `The same content has the ETag ${tag}, and then ${now ?? 'none'}, so no client ever gets 304.`,
        this.#sent,
        'expect(response.status).toBe(304);',
      );
    }
    throw new Violation(
      'etag',
      `The response has the ETag ${tag}, but a request with it as If-None-Match gets ${response.status}, not 304.`,
      this.#sent,
      'expect(response.status).toBe(304);',
    );
  }

  /**
   * A change whose If-Match is not current does nothing. RFC 9110 §13.1.1
   *
   * @returns What is there now, if it has an ETag.
   */
  async #checkStale(draft: Draft, found: FoundAt): Promise<Exchange | undefined> {
    const read = this.#find('GET', this.#operation.path);
    if (read === undefined) return undefined;
    const before = this.#sent.length;
    const current = await this.#try(read, { ...EMPTY, path: draft.path }, found);
    const tag = current?.response.headers.get('ETag');
    if (current?.response.status === 200 && tag?.startsWith('"')) {
      const stale = { 'If-Match': '"fairlead-stale"' };
      const exchange = await this.#try(this.#operation, draft, found, stale);
      if (exchange !== undefined && isSuccess(exchange.response)) {
        throw new Violation(
          'etag',
          `GET ${this.#operation.route.pattern} sends an ETag, but a request whose If-Match is another one changes the resource: it gets ${exchange.response.status}, not 412.\nCall requireMatch() of @fairlead/middleware before the change.`,
          this.#sent,
          'expect(response.status).toBe(412);',
        );
      }
    }
    this.#sent.length = before;
    return current?.response.status === 200 && tag ? current : undefined;
  }

  /** What has changed has another ETag, and a change with the old one does nothing. RFC 9110 §8.8, §13.1.1 */
  async #checkChanged(draft: Draft, found: FoundAt, old: Exchange): Promise<void> {
    const read = this.#find('GET', this.#operation.path);
    if (read === undefined) return;
    const sent = this.#sent.length;
    const change = this.#sent.at(-1);
    const current = await this.#try(read, { ...EMPTY, path: draft.path }, found);
    const textOf = ({ response }: Exchange) => withoutTimes(response.text ?? '');
    const isChanged =
      current?.response.status === 200 && change !== undefined && textOf(current) !== textOf(old);
    if (!isChanged) {
      this.#sent.length = sent;
      return;
    }
    const earlier = this.#sent.slice(0, sent - 1);
    const tag = old.response.headers.get('ETag') ?? '';
    if (current.response.headers.get('ETag') === tag) {
      throw new Violation(
        'etag',
        `The ETag ${tag} stays the same after a ${this.#operation.method} that changes the content.`,
        [...earlier, { ...old, variable: 'before' }, change, current],
        "expect(response.headers.get('ETag')).not.toBe(before.headers.get('ETag'));",
      );
    }
    if (tag.startsWith('"')) {
      const told = { 'If-Match': tagOf(old.response) };
      const again = await this.#try(this.#operation, draft, found, { 'If-Match': tag }, told);
      if (again !== undefined && isSuccess(again.response)) {
        throw new Violation(
          'etag',
          `A request whose If-Match is the ETag from before a change, ${tag}, changes the resource: it gets ${again.response.status}, not 412.\nCall requireMatch() of @fairlead/middleware with the current ETag before the change.`,
          [...earlier, old, change, again],
          'expect(response.status).toBe(412);',
        );
      }
    }
    this.#sent.length = sent;
  }

  /** A repeated request changes nothing more. RFC 9110 §9.2.2 */
  async #checkRepeat(draft: Draft, found: FoundAt, answer: Exchange): Promise<void> {
    const { method } = this.#operation;
    const before = this.#sent.length;
    const first = await this.#observe(draft, found);
    this.#sent.length = before;
    const repeated = await this.#try(this.#operation, draft, found);
    if (repeated === undefined) return;
    checkServer(this.#sent);
    const { status } = repeated.response;
    const mayBeGone = method === 'DELETE' || this.#isMoved(answer, found);
    const isGone = mayBeGone && (status === 404 || status === 410);
    if (status >= 400 && !isGone && !UNDECIDED.has(status)) {
      throw new Violation(
        'repeat',
        `The same ${method} request succeeds once, and then gets ${status}.`,
        this.#sent,
        'expect(response.ok).toBe(true);',
      );
    }
    const after = this.#sent.length;
    const second = await this.#observe(draft, found);
    const known = versionsIn(first);
    const versions = new Set([...versionsIn(second)].filter((name) => known.has(name)));
    const textOf = (seen: Seen | undefined) =>
      seen === undefined ? '' : textWithout(versions, seen);
    const changed = second.findIndex((one, index) => textOf(one) !== textOf(first[index]));
    const [old, now] = [first[changed], second[changed]];
    if (old === undefined || now === undefined) return;
    // What changes without a request, too, tells nothing.
    const third = await this.#observe(draft, found);
    if (textOf(third[changed]) !== textOf(now)) return;
    const earlier = this.#sent.slice(0, before);
    const read = { ...old.exchange, variable: 'before' };
    this.#sent = [...earlier, read, ...this.#sent.slice(before, after), now.exchange];
    const { method: reads, target } = now.exchange.request;
    throw new Violation(
      'repeat',
      `The same ${method} request changes more when it is repeated.\nBefore, ${reads} ${target} gets ${excerpt(textOf(old), textOf(now))}, and afterwards ${excerpt(textOf(now), textOf(old))}.`,
      this.#sent,
      'expect(await response.json()).toEqual(await before.json()); // except for times and versions',
    );
  }

  /** Whether a response tells another identifier than the path, as when the title of an article is part of its path. */
  #isMoved(answer: Exchange, found: FoundAt): boolean {
    const last = this.#last;
    if (last === undefined) return false;
    const now = findCreated(last.resource, answer);
    return now !== undefined && now.value !== found.get(shapeOf(last.resource))?.value;
  }

  /** Reads the resource, and the lists that may contain it. */
  async #observe(draft: Draft, found: FoundAt): Promise<readonly Seen[]> {
    const segments = this.#operation.path.split('/');
    const paths = segments.map((_, index) => segments.slice(0, index + 1).join('/')).slice(1);
    // The resource tells more than a list.
    paths.reverse();
    const seen: Seen[] = [];
    for (const path of paths) {
      const read = this.#find('GET', path);
      if (read === undefined) continue;
      const exchange = await this.#try(read, { ...EMPTY, path: draft.path }, found);
      if (exchange === undefined) continue;
      const { status, text = '' } = exchange.response;
      seen.push({
        exchange,
        text: `${status} ${status < 400 ? withoutTimes(text) : ''}`.trimEnd(),
      });
    }
    return seen;
  }

  /** Finds an operation that needs nothing but its path. */
  #find(method: string, path: string): Operation | undefined {
    return this.#setting.api.operations.find(
      (one) =>
        one.method === method &&
        shapeOf(one.path) === shapeOf(path) &&
        !this.#setting.hanging.has(one) &&
        one.parameters.every(({ in: place, isRequired }) => place === 'path' || !isRequired),
    );
  }

  async #runInvalid(chain: Chain, fault: RequestFault): Promise<void> {
    const { api, count } = this.#setting;
    const draft = chain.target;
    const found = await this.#create(this.#creators, chain);
    if (misfits(this.#operation, draft, api)) skip();
    const wrong = await fault.apply(draft);
    if (wrong === undefined) skip();
    const named = this.#link(this.#operation, draft, found);
    // The fault must stay in the request.
    const kept = named.filter(({ place, name }) => place === 'path' && name !== fault.parameter);
    const request = writeRequest(this.#operation, wrong.draft, kept);
    if (request === undefined) skip();
    const changed = wrong.body === undefined ? {} : { body: wrong.body, json: undefined };
    const headers = { ...request.headers, ...wrong.headers };
    const { response } = await this.#send({ ...request, ...changed, headers });
    const { status } = response;
    count(this.#operation, response, 'invalid');
    checkServer(this.#sent);
    const expected = new Set([...fault.statuses, 400, api.validationStatus]);
    if (expected.has(status) || UNDECIDED.has(status)) {
      checkDescribed(this.#sent, api);
      return;
    }
    // What the path names may not exist.
    if (status === 404 && namesOf(this.#operation.path).length > 0) return;
    const wanted = [...expected].sort();
    const message = isSuccess(response)
      ? `An invalid request is accepted with ${status}: ${fault.label}.`
      : `An invalid request gets ${status}, not ${wanted.join(' or ')}: ${fault.label}.`;
    throw new Violation(
      'invalid-request',
      message,
      this.#sent,
      `expect([${wanted.join(', ')}]).toContain(response.status);`,
    );
  }

  async #runAccess(chain: Chain, credentials: Readonly<Record<string, string>>): Promise<void> {
    const found = await this.#create(this.#creators, chain);
    const request = this.#write(chain.target, found);
    const { response } = await this.#send(
      { ...request, headers: { ...request.headers, ...credentials } },
      {},
    );
    checkServer(this.#sent);
    if (!isSuccess(response)) return;
    const [way] = Object.keys(credentials);
    const how = way === undefined ? 'without credentials' : `with an invalid ${way}`;
    throw new Violation(
      'access',
      `The route needs credentials, but a request ${how} gets ${response.status}.`,
      this.#sent,
      'expect([401, 403]).toContain(response.status);',
    );
  }

  async #runLife(
    chain: Chain,
    creators: readonly Creator[],
    steps: readonly Operation[],
    changes: readonly Draft[],
    known: ReadonlySet<FuzzRule>,
  ): Promise<void> {
    const { api } = this.#setting;
    const draft = chain.target;
    const found = new Map(await this.#create(creators, chain));
    if (!known.has('lost')) await this.#checkExists('was created', draft, found);
    for (const [index, step] of steps.entries()) {
      const change = changes[index];
      if (change === undefined || misfits(step, change, api)) continue;
      const exchange = await this.#try(step, change, found);
      if (exchange === undefined || !isSuccess(exchange.response)) continue;
      if (step.method !== 'DELETE') {
        this.#follow(exchange, found);
        if (!known.has('lost'))
          await this.#checkExists(`was changed with ${step.method}`, draft, found);
        continue;
      }
      if (exchange.response.status === 202) return;
      const { response } = await this.#send(this.#write(draft, found));
      checkServer(this.#sent);
      if (!isSuccess(response)) return;
      throw new Violation(
        'not-deleted',
        `What was deleted with ${exchange.response.status} can still be read: GET gets ${response.status}.`,
        this.#sent,
        'expect([404, 410]).toContain(response.status);',
      );
    }
  }

  /** Goes on with the identifier that a response tells. */
  #follow(exchange: Exchange, found: Map<string, Identifier>): void {
    const last = this.#last;
    if (last === undefined || !this.#isMoved(exchange, found)) return;
    const now = findCreated(last.resource, exchange);
    if (now !== undefined) found.set(shapeOf(last.resource), now);
  }

  async #checkExists(what: string, draft: Draft, found: FoundAt): Promise<void> {
    const { response } = await this.#send(this.#write(draft, found));
    checkServer(this.#sent);
    if (response.status !== 404 && response.status !== 410) return;
    throw new Violation(
      'lost',
      `What ${what} cannot be read: GET gets ${response.status}.`,
      this.#sent,
      'expect(response.status).toBe(200);',
    );
  }
}

/** Returns a value with the texts of another one. */
function withOtherTexts(value: unknown, other: unknown): unknown {
  if (typeof value === 'string') return typeof other === 'string' ? other : value;
  if (Array.isArray(value)) {
    const others: readonly unknown[] = Array.isArray(other) ? other : [];
    return value.map((one, index) => withOtherTexts(one, others[index]));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      withOtherTexts(one, Reflect.get(Object(other), name)),
    ]),
  );
}

function tagOf(response: Answer): Origin {
  return { response, part: 'ETag', isNumber: false };
}

const EMPTY: Draft = { path: {}, query: {}, headers: {}, body: undefined };

/** Methods whose requests may be repeated without another effect, and change something. RFC 9110 §9.2.2 */
const REPEATABLE: ReadonlySet<string> = new Set(['PUT', 'DELETE']);

const CHANGES: ReadonlySet<string> = new Set(['PUT', 'PATCH', 'DELETE']);

/** Statuses that tell nothing about a request: other credentials, conditions or times would change them. */
const UNDECIDED: ReadonlySet<number> = new Set([401, 403, 412, 428, 429]);

function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

/** Whether a schema has refused a request. */
export function isRefusal({ status, json }: Answer, { validationStatus }: Api): boolean {
  if (status !== validationStatus && status !== 400) return false;
  return status === validationStatus || Array.isArray(Object(json).issues);
}

/** The most that is shown of a text, on each side of a difference. */
const EXCERPT = 40;

/** Returns where a text starts to differ from another one. */
function excerpt(text: string, other: string): string {
  let place = 0;
  while (text[place] === other[place] && place < text.length) place += 1;
  const [start, end] = [Math.max(0, place - EXCERPT), place + EXCERPT];
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
}

/** What a GET has responded with: the status, and the body without times. */
interface Seen {
  readonly exchange: Exchange;
  readonly text: string;
}

/** What members are called that say how often something was written. */
const VERSION = /(?:version|revision|rev|etag|generation)$/i;

/**
 * Returns the names of members that are versions: they have the value of the ETag, and increase with every write, even a
 * repeated one.
 */
function versionsIn(seen: readonly Seen[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { exchange } of seen) {
    const { response } = exchange;
    const tag = /^(?:W\/)?"(.+)"$/.exec(response.headers.get('ETag') ?? '')?.[1];
    JSON.stringify(response.json, (name, value: unknown) => {
      const isText = typeof value === 'string' || typeof value === 'number';
      if (isText && VERSION.test(name) && tag === String(value)) names.add(name);
      return value;
    });
  }
  return names;
}

/** Returns what a GET has responded with, without members of these names. */
function textWithout(names: ReadonlySet<string>, { exchange, text }: Seen): string {
  const { status, json } = exchange.response;
  if (names.size === 0 || json === undefined || status >= 400) return text;
  const rest = JSON.stringify(json, (name, value: unknown) =>
    names.has(name) ? undefined : value,
  );
  return `${status} ${withoutTimes(rest)}`;
}

/** Replaces times, and tokens with them, which may change with every request. */
function withoutTimes(text: string): string {
  return text
    .replace(/[\w.-]+/g, (word) => (/^eyJ[^.]+\.[^.]+\.[^.]/.test(word) ? '<token>' : word))
    .replace(/\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?|\b1[6-9]\d{11}\b/g, '<time>');
}

/** Credentials that no application accepts, in the form of the schemes. */
function wrongCredentials({ security }: Operation): readonly Readonly<Record<string, string>>[] {
  return security.flat().flatMap((scheme) => {
    const { type, in: place, name, scheme: kind } = scheme as Readonly<Record<string, unknown>>;
    if (type === 'apiKey' && place === 'header') return [{ [String(name)]: 'fairlead-fuzz' }];
    if (type === 'apiKey' && place === 'cookie') return [{ Cookie: `${name}=fairlead-fuzz` }];
    if (type === 'http' && String(kind).toLowerCase() === 'basic')
      return [{ Authorization: `Basic ${btoa('fairlead:fuzz')}` }];
    if (type === 'http' || type === 'oauth2' || type === 'openIdConnect')
      return [{ Authorization: 'Bearer fairlead-fuzz' }];
    return [];
  });
}

/** A change of a request after which it is invalid. */
export interface RequestFault {
  readonly label: string;
  /** The parameter of the path that it changes. */
  readonly parameter?: string;
  /** Statuses that refuse it, besides that of other invalid requests. */
  readonly statuses: readonly number[];
  /** Undefined if the request would be valid, or cannot be written. */
  readonly apply: (draft: Draft) => Promise<FaultyDraft | undefined>;
}

interface FaultyDraft {
  readonly draft: Draft;
  /** Replaces the written body. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Lists what may be wrong with a request. */
function faultsOf(operation: Operation, api: Api): readonly RequestFault[] {
  return [...bodyFaults(operation, api), ...parameterFaults(operation, api)];
}

function bodyFaults(operation: Operation, { schemas }: Api): readonly RequestFault[] {
  const { bodies, isBodyRequired, method, inputs } = operation;
  if (bodies.length === 0 || !canHaveBody(method)) return [];
  const found: RequestFault[] = bodies.flatMap(([type, schema]) =>
    listFaults(schemas, schema, !isJson(type)).map((fault) => ({
      label: `the body ${fault.label}`,
      statuses: [],
      apply: async (draft) => {
        if (draft.body?.type !== type) return undefined;
        const wrong = fault.apply(draft.body.value)?.value;
        if (wrong === undefined || schemas.findMisfit(schema, wrong) === undefined)
          return undefined;
        const body = { type, value: wrong };
        return (await isRefused(inputs, 'body', wrong, type))
          ? { draft: { ...draft, body } }
          : undefined;
      },
    })),
  );
  const isOwn = (draft: Draft) => draft.body !== undefined && isJson(draft.body.type);
  if (bodies.some(([type]) => isJson(type))) {
    found.push({
      label: 'the body is not JSON',
      statuses: [],
      apply: async (draft) => (isOwn(draft) ? { draft, body: '{"a":' } : undefined),
    });
    const headers = { 'Content-Type': 'application/x-fairlead-fuzz' };
    found.push({
      label: 'the media type of the body is unknown',
      statuses: [415],
      apply: async (draft) => (isOwn(draft) ? { draft, headers } : undefined),
    });
  }
  if (isBodyRequired)
    found.push({
      label: 'the body is missing',
      statuses: [415],
      apply: async (draft) => ({ draft: { ...draft, body: undefined } }),
    });
  return found;
}

/** The name of a part of the request in inputs, and in drafts. */
const PLACES = {
  path: ['param', 'path'],
  query: ['query', 'query'],
  header: ['header', 'headers'],
} as const;

function parameterFaults(operation: Operation, { schemas }: Api): readonly RequestFault[] {
  const { parameters, inputs, route } = operation;
  return parameters.flatMap(({ name, in: place, schema, isRequired, isSpread }): RequestFault[] => {
    if (isSpread) return [];
    const [source, member] = PLACES[place];
    const noun = place === 'header' ? 'header' : `parameter of the ${place}`;
    const statuses = place === 'path' && route.options.invalidParams === 404 ? [404] : [];
    const path = place === 'path' ? { parameter: name } : {};
    const change = (draft: Draft, value: unknown): Draft => ({
      ...draft,
      [member]: { ...draft[member], [name]: value },
    });
    const wrong = listFaults(schemas, schema, true).map(
      (fault: Fault): RequestFault => ({
        label: `the ${noun} '${name}' ${fault.label}`,
        statuses,
        ...path,
        apply: async (draft) => {
          const before = draft[member][name];
          if (before === undefined) return undefined;
          const value = fault.apply(before)?.value;
          if (value === undefined || schemas.findMisfit(schema, value) === undefined)
            return undefined;
          const changed = change(draft, value);
          const asText = change(draft, String(value));
          const areRefused =
            (await isRefused(inputs, source, changed[member])) &&
            (await isRefused(inputs, source, asText[member]));
          return areRefused ? { draft: changed } : undefined;
        },
      }),
    );
    if (!isRequired || place === 'path') return wrong;
    return [
      ...wrong,
      {
        label: `the ${noun} '${name}' is missing`,
        statuses: [],
        apply: async (draft) => {
          const { [name]: _, ...others } = draft[member];
          return { draft: { ...draft, [member]: others } };
        },
      },
    ];
  });
}

/** Whether a schema of the route refuses a part of a request. */
async function isRefused(
  inputs: readonly RouteInput[],
  source: RouteInput['source'],
  value: unknown,
  type?: string,
): Promise<boolean> {
  for (const { source: from, name, schema, required } of inputs) {
    if (from !== source || schema === undefined) continue;
    const member: unknown = name === undefined ? value : Reflect.get(Object(value), name);
    if (name !== undefined && member === undefined && required) return true;
    const types = contentOf(schema)?.mediaTypes;
    const described =
      types?.find((one) => one.type === type) ?? types?.find((one) => one.type === undefined);
    const own = described === undefined ? schema : described.schema;
    if (!isStandardSchema(own)) continue;
    const { issues } = await own['~standard'].validate(structuredClone(member));
    if (issues !== undefined) return true;
  }
  return inputs.some(
    ({ source: from, name, required }) =>
      from === source &&
      required &&
      name !== undefined &&
      Reflect.get(Object(value), name) === undefined,
  );
}
