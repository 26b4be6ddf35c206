import { isStandardSchema, type RouteInput } from '@fairlead/core';
import { contentOf, isJson } from '@fairlead/core/extend';
import fc, { type Arbitrary } from 'fast-check';
import {
  type Creator,
  creatorsOf,
  type FoundAt,
  findCreated,
  nameFound,
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
  misfits,
  validRequests,
  variableAt,
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
  readonly sender: Sender;
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

/** Drafts of the requests that create what the path names, then that of the operation. */
type Chain = readonly [created: readonly Draft[], target: Draft];

const NO_CREDENTIALS = {};

/** Attempts in a row to create what a path names. Without credentials, none succeeds. */
const PATIENCE = 20;

/** The experiments with one operation. */
export class Promises {
  readonly #setting: Setting;
  readonly #operation: Operation;
  /** Empty once they turn out to create nothing. */
  #creators: readonly Creator[];
  /** What was sent in this case. */
  #sent: Exchange[] = [];
  /** How often in a row nothing could be created. */
  #failures = 0;

  constructor(operation: Operation, setting: Setting) {
    this.#operation = operation;
    this.#setting = setting;
    this.#creators = creatorsOf(operation.path, setting.api.operations);
  }

  /** Goes on with paths that probably name nothing. */
  giveUpCreating(): void {
    this.#creators = [];
  }

  /** Valid requests: responses are as described, ETags are honored, repetitions change nothing. */
  valid(isChained: boolean): Experiment<Chain> | undefined {
    const creators = isChained ? this.#creators : [];
    if (isChained && creators.length === 0) return undefined;
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
    const last = this.#creators.at(-1);
    // It is run once for each resource, by the operation that reads it.
    if (this.#operation.method !== 'GET' || last?.resource !== this.#operation.path)
      return undefined;
    const at = (method: string) =>
      operations.filter(
        (one) => one.method === method && shapeOf(one.path) === shapeOf(last.resource),
      );
    const steps = [...at('PATCH'), ...at('PUT'), ...at('DELETE')];
    const chains = this.#chains(this.#operation, this.#creators);
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
    return fc.tuple(fc.tuple(...known), target);
  }

  async #send(request: Written, credentials?: Readonly<Record<string, string>>): Promise<Exchange> {
    const sent = credentials ?? (await this.#setting.credentialsOf(request.operation));
    const exchange = await this.#setting.sender.send(request, sent);
    this.#sent.push(exchange);
    return exchange;
  }

  /** Sends a request that is not part of the case unless it fails. */
  async #try(
    operation: Operation,
    draft: Draft,
    found: FoundAt,
    extra: Readonly<Record<string, string>> = {},
  ): Promise<Exchange | undefined> {
    const request = writeRequest(operation, draft, nameFound(operation.path, found));
    if (request === undefined) return undefined;
    return this.#send({ ...request, headers: { ...request.headers, ...extra } });
  }

  /** Creates what the path names. */
  async #create(creators: readonly Creator[], drafts: readonly Draft[]): Promise<FoundAt> {
    this.#sent = [];
    const found = new Map<number, Omit<Found, 'name'>>();
    if (creators.length === 0) return found;
    if (this.#failures > PATIENCE) skip();
    for (const [index, creator] of creators.entries()) {
      const draft = drafts[index];
      if (draft === undefined || misfits(creator.operation, draft, this.#setting.api)) skip();
      // A repeated DELETE must not delete another one, either.
      const isLast = index === creators.length - 1;
      if (isLast && this.#operation.method === 'DELETE')
        await this.#try(creator.operation, draft, found);
      const variable = variableAt(this.#sent.length);
      const exchange = await this.#try(creator.operation, draft, found);
      checkServer(this.#sent);
      const one = exchange && findCreated(creator, exchange, variable);
      if (one === undefined) {
        this.#failures += 1;
        skip();
      }
      found.set(namesOf(creator.resource).length - 1, one);
    }
    this.#failures = 0;
    return found;
  }

  /** Writes the request of a case. */
  #write(draft: Draft, found: FoundAt): Written {
    if (misfits(this.#operation, draft, this.#setting.api)) skip();
    const named = nameFound(this.#operation.path, found);
    return writeRequest(this.#operation, draft, named) ?? skip();
  }

  async #runValid(
    [created, draft]: Chain,
    creators: readonly Creator[],
    known: ReadonlySet<FuzzRule>,
  ): Promise<void> {
    const { api, count } = this.#setting;
    const found = await this.#create(creators, created);
    const request = this.#write(draft, found);
    const checksTags = !known.has('etag');
    if (checksTags && CHANGES.has(request.method)) await this.#checkStale(draft, found);
    const exchange = await this.#send(request);
    const { response } = exchange;
    const isRefused = isRefusal(response, api);
    count(this.#operation, response, isRefused ? 'refused' : 'valid');
    checkServer(this.#sent);
    checkDescribed(this.#sent, api);
    // The schema refuses more than JSON Schema can say.
    if (isRefused) skip();
    if (checksTags && request.method === 'GET') await this.#checkTag(request, response);
    if (!known.has('repeat') && REPEATABLE.has(request.method) && isSuccess(response))
      await this.#checkRepeat(draft, found, exchange);
  }

  /** A client that has the current content gets 304. RFC 9110 §13.1.2 */
  async #checkTag(request: Written, { status, headers }: Answer): Promise<void> {
    const tag = headers.get('ETag');
    if (status !== 200 || tag === null) return;
    const again = {
      ...request,
      headers: { ...request.headers, 'If-None-Match': tag },
      expressions: { 'If-None-Match': "read.headers.get('ETag') ?? ''" },
    };
    const { response } = await this.#send(again);
    const read = this.#sent.at(-2);
    if (read !== undefined) this.#sent.splice(-2, 1, { ...read, variable: 'read' });
    // Content that changes with every request has another tag.
    if (response.status === 304 || response.headers.get('ETag') !== tag) return;
    throw new Violation(
      'etag',
      `The response has the ETag ${tag}, but a request with it as If-None-Match gets ${response.status}, not 304.`,
      this.#sent,
      'expect(response.status).toBe(304);',
    );
  }

  /** A change whose If-Match is not current does nothing. RFC 9110 §13.1.1 */
  async #checkStale(draft: Draft, found: FoundAt): Promise<void> {
    const read = this.#find('GET', this.#operation.path);
    if (read === undefined) return;
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
    const changed = second.findIndex((one, index) => one.text !== first[index]?.text);
    const [old, now] = [first[changed], second[changed]];
    if (old === undefined || now === undefined) return;
    // What changes without a request, too, tells nothing.
    const third = await this.#observe(draft, found);
    if (third[changed]?.text !== now.text) return;
    const earlier = this.#sent.slice(0, before);
    const read = { ...old.exchange, variable: 'before' };
    this.#sent = [...earlier, read, ...this.#sent.slice(before, after), now.exchange];
    const { method: reads, target } = now.exchange.request;
    throw new Violation(
      'repeat',
      `The same ${method} request changes more when it is repeated.\nBefore, ${reads} ${target} gets ${excerpt(old.text, now.text)}, and afterwards ${excerpt(now.text, old.text)}.`,
      this.#sent,
      'expect(await response.json()).toEqual(await before.json()); // except for times',
    );
  }

  /** Whether a response tells another identifier than the path, as when the title of an article is part of its path. */
  #isMoved(answer: Exchange, found: FoundAt): boolean {
    const last = this.#creators.at(-1);
    if (last === undefined) return false;
    const now = findCreated(last, answer, '');
    return now !== undefined && now.value !== found.get(namesOf(last.resource).length - 1)?.value;
  }

  /** Reads the resource, and the lists that may contain it. */
  async #observe(
    draft: Draft,
    found: FoundAt,
  ): Promise<readonly { readonly exchange: Exchange; readonly text: string }[]> {
    const segments = this.#operation.path.split('/');
    const paths = segments.map((_, index) => segments.slice(0, index + 1).join('/')).slice(1);
    // The resource tells more than a list.
    paths.reverse();
    const seen: { exchange: Exchange; text: string }[] = [];
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
        one.parameters.every(({ in: place, isRequired }) => place === 'path' || !isRequired),
    );
  }

  async #runInvalid([created, draft]: Chain, fault: RequestFault): Promise<void> {
    const { api, count } = this.#setting;
    const found = await this.#create(this.#creators, created);
    if (misfits(this.#operation, draft, api)) skip();
    const wrong = await fault.apply(draft);
    if (wrong === undefined) skip();
    const named = nameFound(this.#operation.path, found);
    // A fault of the path must stay in it.
    const kept = named.filter(({ name }) => name !== fault.parameter);
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

  async #runAccess(
    [created, draft]: Chain,
    credentials: Readonly<Record<string, string>>,
  ): Promise<void> {
    const found = await this.#create(this.#creators, created);
    const request = this.#write(draft, found);
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
    [created, draft]: Chain,
    steps: readonly Operation[],
    changes: readonly Draft[],
    known: ReadonlySet<FuzzRule>,
  ): Promise<void> {
    const { api } = this.#setting;
    const found = new Map(await this.#create(this.#creators, created));
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
  #follow(exchange: Exchange, found: Map<number, Omit<Found, 'name'>>): void {
    const last = this.#creators.at(-1);
    if (last === undefined || !this.#isMoved(exchange, found)) return;
    const now = findCreated(last, exchange, variableAt(this.#sent.length - 1));
    if (now !== undefined) found.set(namesOf(last.resource).length - 1, now);
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
