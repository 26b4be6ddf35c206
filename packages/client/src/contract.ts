/**
 * What a client needs to know about a route. It exists only in types. `typeof` a controller of
 * `defineController()` contains one per route. A generated client has `GeneratedRoute`s instead.
 */
export interface Contract {
  readonly method: string;
  /** The pattern, such as `/users/:id`. */
  readonly path: string;
  /** The parameters of the path, as the client passes them. */
  readonly params: unknown;
  /** The query, as the client passes it. */
  readonly query: unknown;
  /** The body of the request, as the client passes it. */
  readonly body: unknown;
  /** What the route sends, by status, before it becomes JSON. */
  readonly response: unknown;
  /** The codes of the problems that the route declares, by status. */
  readonly errors?: unknown;
}

/**
 * A route as `fairlead client` writes it. `params`, `query`, `headers` and `body` are the options of a call, and
 * absent if the route has none.
 */
export interface GeneratedRoute {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly headers?: unknown;
  readonly body?: unknown;
  /** The bodies of successful responses, as the client returns them, by status or `'2XX'`. */
  readonly received: unknown;
  /** By status, `'4XX'`, `'5XX'` or `'default'`: the codes of problems, or the type of another body. */
  readonly errors?: unknown;
  /** The messages of an event stream. */
  readonly events?: unknown;
}

/** The routes of an API: a contract for each path of each method. */
export type Api = {
  readonly [Name in Method]: Readonly<Record<string, Contract>>;
};

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'QUERY' | 'HEAD' | 'OPTIONS';

/** A controller as a value, or a router of `router.define()`, as far as types matter here. */
interface ControllerLike {
  readonly '~contract'?: ControllerContract;
}

interface ControllerContract {
  readonly version: string;
  readonly prefix: string;
  readonly routes: Readonly<Record<string, Contract>>;
}

/**
 * The API of controllers as values, and of routers that register records of routes.
 *
 * @typeParam Controllers - Their types, as in `ClientOf<[typeof users, typeof posts]>`.
 * @typeParam Base - The prefix of `controllersPlugin()` or `app.route()`, such as `'/api'`.
 * @typeParam VersionIn - `'request'` for controllers of an application with versions, which are no part of paths. Pass
 *   those of one version, and its header to `createClient()`.
 */
export type ClientOf<
  Controllers extends readonly ControllerLike[],
  Base extends string = '',
  VersionIn extends 'path' | 'request' = 'path',
> = ByMethod<EntryOf<Controllers[number], Base, VersionIn>>;

/** Groups routes by their methods, of which one may have several. */
type ByMethod<Entries extends Entry> = {
  readonly [Name in Method]: {
    readonly [One in Entries as Name extends One['method']
      ? One['path']
      : never]: Name extends 'HEAD' ? WithoutBodies<One['route']> : One['route'];
  };
};

/** A contract whose responses have no body, as those to HEAD. RFC 9110 §9.3.2 */
type WithoutBodies<Route> = Route extends { readonly response: infer Response }
  ? Omit<Route, 'response'> & {
      readonly response: { readonly [Status in keyof Response]: undefined };
    }
  : Route;

/** A route with its whole path. */
interface Entry {
  readonly method: string;
  readonly path: string;
  readonly route: unknown;
}

type EntryOf<Controller, Base extends string, VersionIn> = Controller extends {
  readonly '~contract'?: infer C;
}
  ? RouteEntry<NonNullable<C>, Base, VersionIn>
  : never;

type RouteEntry<C, Base extends string, VersionIn> = C extends ControllerContract
  ? WithPaths<
      C['routes'][keyof C['routes']],
      `${Start<Base>}${VersionIn extends 'request' ? '' : Start<C['version']>}${Start<C['prefix']>}`
    >
  : never;

/** Adds the whole path to each contract. A route with several paths has a union of them. */
type WithPaths<Route, Prefix extends string> = Route extends Contract
  ? {
      readonly method: Route['method'];
      readonly path: `${Prefix}${Segment<Route['path']>}` extends ''
        ? '/'
        : `${Prefix}${Segment<Route['path']>}`;
      readonly route: Route;
    }
  : never;

/** A part before others: like {@link Segment}, without a slash at its end. */
type Start<Part extends string> = Segment<Part extends `${infer Rest}/` ? Rest : Part>;

/** A part of a path: with a slash before it, or nothing. */
type Segment<Part extends string> = Part extends '/' | ''
  ? ''
  : Part extends `/${string}`
    ? Part
    : `/${Part}`;

/** What a call of a route receives besides the path. Members that the route needs are required. */
export type CallOptions<Route> =
  // In brackets, so that a check of any route looks at all routes at once instead of at each of them.
  [Route] extends [GeneratedRoute]
    ? {
        [Key in keyof Route as Extract<Key, OptionOfCall>]: Key extends 'query'
          ? WithTextLists<Route[Key]>
          : Route[Key];
      } & CommonOptions
    : [Route] extends [
          { readonly params: infer Params; readonly query: infer Query; readonly body: infer Body },
        ]
      ? Part<'params', AsText<Params, never>> &
          Part<'query', AsText<Query>> &
          BodyPart<Body> &
          CommonOptions
      : CommonOptions;

type OptionOfCall = 'params' | 'query' | 'headers' | 'body';

/** A query whose lists have only texts. No list of a document can contain lists or objects that text carries. */
type WithTextLists<Value> = unknown extends Value
  ? Value
  : Value extends Scalar
    ? Value
    : Value extends readonly (infer Element)[]
      ? unknown extends Element
        ? Value
        : [Element] extends [Scalar]
          ? TextList<Value, Element>
          : readonly (string | Extract<Element, NonNullable<Scalar>>)[]
      : { [Key in keyof Value]: WithTextLists<Value[Key]> };

/** What one text can be. */
type Scalar = string | number | boolean | bigint | Date | null | undefined;

/** A list of texts, none of which can be absent. */
type TextList<List, Element> = [Element] extends [NonNullable<Element>]
  ? List
  : readonly NonNullable<Element>[];

/**
 * What text can carry of an object: texts, lists of them, and objects with such members, one level deep. Other members
 * are never.
 *
 * @typeParam Inner - The members of objects within the object; never if there are none.
 */
type AsText<Members, Inner = Scalar | readonly Scalar[]> = unknown extends Members
  ? Members
  : Members extends object
    ? { [Key in keyof Members]: Carried<Members[Key], Inner> }
    : Members;

type Carried<Value, Inner> = unknown extends Value
  ? Value
  : Value extends Scalar
    ? Value
    : Value extends readonly (infer Element)[]
      ? [Element] extends [Scalar]
        ? TextList<Value, Element>
        : never
      : [Inner] extends [never]
        ? never
        : { [Key in keyof Value]: Carried<Value[Key], never> };

/** Options of every call. */
export interface CommonOptions {
  /** Added to those of the client. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends the call: its promise rejects with the reason of the signal. */
  readonly signal?: AbortSignal;
}

/** A member of the options: optional if an empty object or nothing will do. */
type Part<Name extends string, Value> = unknown extends Value
  ? { readonly [Key in Name]?: Value }
  : undefined extends Value
    ? { readonly [Key in Name]?: Value }
    : Readonly<Record<never, never>> extends Value
      ? { readonly [Key in Name]?: Value }
      : { readonly [Key in Name]: Value };

/** The body: optional if nothing will do. An empty object is a body, too. */
type BodyPart<Body> = undefined extends Body ? { readonly body?: Body } : { readonly body: Body };

/** The arguments of a call after the path: the options, which may be left out if the route needs none. */
export type CallArguments<Route> =
  Readonly<Record<never, never>> extends CallOptions<Route>
    ? readonly [options?: CallOptions<Route>]
    : readonly [options: CallOptions<Route>];

/** The body of a successful response of a route. */
export type Success<Route> = [Route] extends [{ readonly received: infer Received }]
  ? Received[keyof Received]
  : [Route] extends [{ readonly response: infer Response }]
    ? unknown extends Response
      ? unknown
      : Json<Response[SuccessOf<Response>]>
    : unknown;

/** The events of a route: those that its handler passes to `eventStream()`, or else any. */
export type EventOf<Route> = Route extends { readonly events: infer Messages }
  ? Messages
  : Route extends {
        readonly response: { readonly 200: { readonly '~events': infer Sent } | undefined };
      }
    ? Sent extends { readonly data: infer Data }
      ? EventMessage<NameOf<Sent>, Json<Data>>
      : never
    : EventMessage;

type NameOf<Sent> = Sent extends { readonly event: infer Name extends string }
  ? Name
  : 'message' | Extract<Sent['event' & keyof Sent], string>;

/** An event of an event stream. */
export interface EventMessage<Name extends string = string, Data = unknown> {
  /** `message` if the server sends none. */
  readonly event: Name;
  /** JSON is parsed. Text that the server sends as text stays text. */
  readonly data: Data;
  /** Undefined if the server sends none. */
  readonly id: string | undefined;
}

/** What `send()` of a client returns: a response with its body or problem, by status. */
export type Result<Route> =
  | (Route extends { readonly received: infer Received }
      ? {
          readonly [Key in keyof Received]: SuccessWith<
            StatusOf<Key, keyof Received>,
            Received[Key]
          >;
        }[keyof Received]
      : Route extends { readonly response: infer Response }
        ? unknown extends Response
          ? SuccessWith<SuccessStatus, unknown>
          : {
              readonly [Status in SuccessOf<Response>]: SuccessWith<Status, Json<Response[Status]>>;
            }[SuccessOf<Response>]
        : never)
  | Failure<Route extends { readonly errors?: infer Errors } ? NonNullable<Errors> : unknown>;

interface SuccessWith<Status, Body> {
  readonly ok: true;
  readonly status: Status;
  readonly body: Body;
  readonly response: Response;
}

type Failure<Errors> =
  | {
      readonly [Key in keyof Errors & (ErrorStatus | keyof Ranges)]: FailureWith<
        StatusOf<Key, keyof Errors>,
        ProblemOf<Errors[Key]>
      >;
    }[keyof Errors & (ErrorStatus | keyof Ranges)]
  | OtherFailure<Exclude<OtherStatus, keyof Errors | Ranges[keyof Errors & keyof Ranges]>>;

type OtherFailure<Status> = [Status] extends [never] ? never : FailureWith<Status, Problem>;

interface FailureWith<Status, Body> {
  readonly ok: false;
  readonly status: Status;
  readonly problem: Body;
  readonly response: Response;
}

/** The body of an error: a problem with the codes of a list, or another body that the document describes. */
type ProblemOf<Described> = Described extends readonly [string, ...string[]]
  ? Problem<Described[number]>
  : Described extends readonly unknown[]
    ? Problem
    : Described & {
        readonly [Name in Exclude<
          'type' | 'title' | 'status' | 'detail',
          keyof Described
        >]: Problem[Name];
      };

/** The body of an error response, as `errorHandler()` sends it (RFC 9457). */
export interface Problem<Code extends string = string> {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** Identifies the problem; absent if the server does not send problems. */
  readonly code?: Code;
  /** What is wrong with the input, for a failed validation. */
  readonly issues?: readonly Issue[];
  /** Other members that the error has added. */
  readonly [member: string]: unknown;
}

/** Why a schema rejected a part of a request. */
interface Issue {
  /** The part of the request: `param`, `query`, `header`, `body`, or `custom`. */
  readonly source: string;
  /** The source, the name of the parameter, then the keys within the value. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** What a value is after it was sent as JSON: a `Date` is a string, and methods are gone. */
export type Json<Value> = Value extends string | number | boolean | null | undefined
  ? Value
  : Value extends { toJSON(...args: never): infer Written }
    ? Json<Written>
    : Value extends readonly unknown[]
      ? { readonly [Index in keyof Value]: Json<Value[Index]> }
      : Value extends object
        ? {
            readonly [Key in keyof Value as Value[Key] extends Unwritten ? never : Key]: Json<
              Value[Key]
            >;
          }
        : Value;

/** What JSON leaves out. */
type Unwritten = ((...args: never) => unknown) | symbol;

type SuccessStatus = 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226;

/** The successful statuses of a contract's responses. */
type SuccessOf<Response> = keyof Response extends infer Status
  ? Status extends keyof Response & number
    ? number extends Status
      ? SuccessStatus & keyof Response
      : `${Status}` extends `2${string}`
        ? Status
        : never
    : never
  : never;

type ClientErrorStatus =
  | (400 | 401 | 402 | 403 | 404 | 405 | 406 | 407 | 408 | 409 | 410 | 411 | 412 | 413 | 414 | 415)
  | (416 | 417 | 418 | 421 | 422 | 423 | 424 | 425 | 426 | 428 | 429 | 431 | 451);

type ServerErrorStatus = 500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 510 | 511;

type ErrorStatus = ClientErrorStatus | ServerErrorStatus;

/** The statuses of responses that are not successful. `fetch` follows a redirect that has a `Location`. */
type OtherStatus = 300 | 301 | 302 | 303 | 304 | 307 | 308 | ErrorStatus;

/** The keys of OpenAPI for several statuses. */
interface Ranges {
  readonly '2XX': SuccessStatus;
  readonly '4XX': ClientErrorStatus;
  readonly '5XX': ServerErrorStatus;
  readonly default: OtherStatus;
}

/** The statuses that a key stands for, except those with another key. */
type StatusOf<Key, Keys> = Key extends keyof Ranges ? Exclude<Ranges[Key], Keys> : Key;
