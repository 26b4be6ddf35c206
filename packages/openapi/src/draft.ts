import type { Route, VersionSource } from '@fairlead/core';
import type { ErrorResponses } from './error-responses.js';
import type { HeaderObjects } from './headers.js';
import type { PathTemplate } from './paths.js';
import type { Report, Schemas } from './schemas.js';
import type { SecuritySchemes } from './security.js';

/** A version of OpenAPI that documents can have. */
export type OpenApiVersion = '3.1' | '3.2';

/** What the operations of a document share. */
export interface Draft {
  readonly version: OpenApiVersion;
  /** Where requests name the version of a route; undefined to leave that out. */
  readonly versions: VersionSource | undefined;
  readonly schemas: Schemas;
  readonly errors: ErrorResponses;
  readonly headers: HeaderObjects;
  readonly security: SecuritySchemes;
  /** Receives everything that prevents the document. */
  readonly problems: Error[];
  /** Receives what this version of OpenAPI cannot describe, such as `QUERY /search`. */
  readonly omitted: string[];
  /** Returns the function that reports a schema, such as `the body of POST /users`. */
  reportFor(place: string): Report;
}

/** One method of a path. */
export interface OperationSource {
  readonly route: Route;
  /** The route, such as `GET /users/:id`, for messages. */
  readonly label: string;
  /** In lower case. */
  readonly method: string;
  readonly operationId: string;
  readonly path: PathTemplate;
  /** The document's path, whose first route determines the names. */
  readonly template: string;
  /** The names in `template`. */
  readonly names: readonly string[];
}
