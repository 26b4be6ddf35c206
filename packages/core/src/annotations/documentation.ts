import { type Kind, kind, nonEmptyString, object, oneOf, string } from '@fairlead/options';

/** A Security Scheme Object of OpenAPI, or a reference to one. */
export type SecurityScheme = (
  | { readonly type: 'apiKey'; readonly in: 'cookie' | 'header' | 'query'; readonly name: string }
  | { readonly type: 'http'; readonly scheme: string; readonly bearerFormat?: string }
  | { readonly type: 'mutualTLS' }
  | { readonly type: 'oauth2'; readonly flows: object; readonly oauth2MetadataUrl?: string }
  | { readonly type: 'openIdConnect'; readonly openIdConnectUrl: string }
  | { readonly $ref: string; readonly summary?: string }
) & {
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly [extension: `x-${string}`]: unknown;
};

/** A way to authenticate requests, for documentation. */
export interface SecurityRequirement {
  /** Identifies the scheme in the document. */
  readonly name: string;
  /** A Security Scheme Object of OpenAPI, such as `{ type: 'http', scheme: 'bearer' }`. */
  readonly scheme: SecurityScheme;
  /** The scopes or roles that the route needs; none by default. */
  readonly scopes?: readonly string[];
}

/** Several ways to authenticate requests, one of which is enough. */
export interface SecurityAlternatives {
  /** At least one. A request needs all members of a list, and need not authenticate for an empty one. */
  readonly anyOf: readonly Security[];
}

/** How requests authenticate, for documentation. They need all members of a list. */
export type Security = SecurityRequirement | SecurityAlternatives | readonly Security[];

/** What middleware or a guard adds to the responses of routes, for documentation. */
export interface SentDescription {
  /** The methods of the routes; all by default. */
  readonly methods?: readonly string[];
  /** Headers of every response, by name. */
  readonly headers?: HeaderDescriptions;
  /** Redirects and errors that it responds with, and what responses with other statuses have, by status. */
  readonly responses?: Readonly<
    Record<number, { readonly description?: string; readonly headers?: HeaderDescriptions }>
  >;
}

/** A header, for documentation. */
export interface HeaderDescription {
  readonly description?: string;
  /** A Standard Schema or a JSON Schema of the value; a string by default. */
  readonly schema?: object;
  /** Whether all of these messages have the header; false by default. */
  readonly required?: boolean;
  readonly deprecated?: boolean;
  readonly example?: unknown;
}

/** Headers by name: what each one tells, or more about it. */
export type HeaderDescriptions = Readonly<Record<string, string | HeaderDescription>>;

/** The bodies that a parser reads. */
export interface BodyDescription {
  /** Media types, such as `application/json`, for documents and for responses to unread bodies. */
  readonly mediaTypes: readonly string[];
  /**
   * The settings of a parser that reads every body of its media types, as text. The startup warns about such a
   * parser after another one of the same media types, unless both have the same settings. Omit it for a parser
   * that skips some of these bodies.
   */
  readonly settings?: string;
  /** The form that the parser reads. */
  readonly form?: FormDescription;
  /**
   * Makes the parser keep the bytes of bodies in `ctx.rawBody` from now on. Middleware after it that reads them calls
   * this at the start.
   */
  keepBytes?(): void;
}

/** The form that a parser reads. */
export interface FormDescription {
  /** A JSON Schema for each part, by name. */
  readonly properties: Readonly<Record<string, object>>;
  /** The names of the parts that the form must have. */
  readonly required: readonly string[];
  /** The Encoding Objects of OpenAPI, by the name of the part. */
  readonly encoding: Readonly<Record<string, object>>;
  /** Whether the parser rejects bodies of other media types. */
  readonly isExclusive: boolean;
}

/** The members that a Security Scheme Object of each type needs. */
const SCHEMES: ReadonlyMap<unknown, Readonly<Record<string, Kind>>> = new Map([
  ['apiKey', { in: oneOf('cookie', 'header', 'query'), name: nonEmptyString }],
  ['http', { scheme: nonEmptyString }],
  ['mutualTLS', {}],
  ['oauth2', { flows: object }],
  ['openIdConnect', { openIdConnectUrl: nonEmptyString }],
]);

/** Accepts a Security Scheme Object of OpenAPI, or a reference to one. */
export const SECURITY_SCHEME: Kind = kind(
  "a Security Scheme Object, such as { type: 'http', scheme: 'bearer' }, with the type apiKey (in, name), http (scheme), mutualTLS, oauth2 (flows) or openIdConnect (openIdConnectUrl)",
  (value) => {
    if (!object.accepts(value)) return false;
    const scheme: { readonly [member: string]: unknown } = { ...Object(value) };
    if (scheme.$ref !== undefined) return string.accepts(scheme.$ref);
    const needed = SCHEMES.get(scheme.type);
    const members = Object.entries(needed ?? {});
    return needed !== undefined && members.every(([name, one]) => one.accepts(scheme[name]));
  },
);

/** Whether a value tells how requests authenticate. */
export function isSecurity(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isSecurity);
  const { name, scheme, anyOf }: { readonly [key: string]: unknown } = Object(value);
  if (anyOf === undefined) return typeof name === 'string' && SECURITY_SCHEME.accepts(scheme);
  return Array.isArray(anyOf) && anyOf.length > 0 && isSecurity(anyOf);
}

/** What generated documents need to know about a function or a class. */
export interface Documented {
  /** The bodies that a parser reads. */
  readonly reads?: BodyDescription;
  /** Headers of requests that it reads, by name. `required` tells that it rejects requests without one. */
  readonly takes?: HeaderDescriptions;
  /** What it adds to responses. Further descriptions of one value add to this list. */
  readonly sends?: SentDescription | readonly SentDescription[];
  /** How requests authenticate to pass it. Further descriptions of one value add to this list. */
  readonly security?: Security;
  /** How often requests pass it, for lists: `100 per 60 s`. */
  readonly limit?: string;
  /** Why everyone may call it, for a handler or a responder. The reason of a route takes precedence. */
  readonly public?: string;
}
