import { anything, boolean, findOptionProblems, fn, type Kinds, oneOf } from '@fairlead/options';
import type { ValidationStatus } from '../errors/http-error.js';
import {
  createErrorPolicy,
  DEFAULT_ERROR_POLICY,
  ERROR_HANDLER_OPTIONS,
  type ErrorHandlerOptions,
  type ErrorPolicy,
} from '../middleware/error-handler.js';
import type { PathRules } from '../router/pattern.js';
import type { Handler } from '../router/route-options.js';
import { completeRules, ROUTER_OPTIONS, type RouterOptions } from '../router/router.js';
import { type VersionSource, versionSource } from '../router/version-source.js';
import {
  type CompileResponse,
  createSchemaPolicy,
  type ResponsePolicy,
  type SchemaPolicy,
} from '../schema/response-writer.js';
import {
  type ClientReader,
  createClientReader,
  findProxyProblems,
  type ProxyOptions,
  type TrustedProxies,
} from '../server/trusted-proxies.js';
import { throwTogether } from '../setup/options.js';

/** Options of `createApp()`. */
export interface ApplicationOptions extends ErrorHandlerOptions, RouterOptions {
  /**
   * Responds to requests that no middleware or route has handled, unless the path has routes for other
   * methods. The status is 404 unless the function sets another one. If it does not respond, or is omitted,
   * the body has the format of other errors.
   */
  readonly notFound?: Handler;
  /**
   * The proxies whose headers determine `ctx.ip`, `ctx.protocol` and `ctx.host`; none by default. Pass the
   * number of proxies or a list of their addresses to trust `X-Forwarded-For`, `-Proto` and `-Host`. Pass
   * an object to trust other headers.
   */
  readonly proxy?: TrustedProxies | ProxyOptions;
  /** Status of requests that the schemas of a route reject: 400 by default, or 422. */
  readonly validationStatus?: ValidationStatus;
  /**
   * What happens to members of a response that its schema does not describe: `'remove'` by default. With
   * `'trust'`, responses are sent as they are, and `checkResponses` still refuses such members.
   */
  readonly responses?: ResponsePolicy;
  /**
   * Compiles the response schemas of routes, like the default export of `fast-json-stringify`. By default,
   * `JSON.stringify` writes responses.
   */
  readonly compileResponse?: CompileResponse;
  /**
   * Whether a response that does not match its schema, or has members that the schema does not describe,
   * becomes a 500 that names their paths; false by default. For development and tests: it serializes and
   * validates every response. Use it with schemas without transforms.
   */
  readonly checkResponses?: boolean;
  /**
   * With `'declared'`, the start fails unless each route has a guard or middleware that is described with `security`, or
   * the option `public` with the reason why everyone may call it. By default, nothing checks it.
   */
  readonly access?: 'declared';
  /** Where requests name the version of a route: the result of `createVersions()` of `@fairlead/core/versions`. */
  readonly versions?: VersionSource;
}

const APPLICATION_OPTIONS: Kinds<ApplicationOptions> = {
  ...ERROR_HANDLER_OPTIONS,
  ...ROUTER_OPTIONS,
  notFound: fn,
  // findProxyProblems() checks it.
  proxy: anything,
  validationStatus: oneOf(400, 422),
  responses: oneOf('remove', 'trust'),
  compileResponse: fn,
  checkResponses: boolean,
  access: oneOf('declared'),
  versions: versionSource,
};

/** What the options of an application determine. */
export interface Settings {
  readonly rules: PathRules;
  readonly errors: ErrorPolicy;
  readonly notFound: Handler | undefined;
  readonly readClient: ClientReader;
  readonly schemas: SchemaPolicy;
  /** Status of requests that schemas reject. */
  readonly validationStatus: ValidationStatus;
  /** Whether each route has to declare who may call it. */
  readonly declaresAccess: boolean;
  readonly versions: VersionSource | undefined;
}

/** @throws {SetupError} Same as `createApp()`. */
export function readOptions(options: ApplicationOptions): Settings {
  throwTogether([
    ...findOptionProblems('createApp()', options, APPLICATION_OPTIONS),
    ...findProxyProblems(options?.proxy),
  ]);
  const { compileResponse, checkResponses = false, responses = 'remove' } = options;
  const { validationStatus = 400 } = options;
  return {
    validationStatus,
    declaresAccess: options.access !== undefined,
    versions: options.versions,
    rules: completeRules(options),
    errors: createErrorPolicy(options, DEFAULT_ERROR_POLICY),
    notFound: options.notFound,
    readClient: createClientReader(options.proxy),
    schemas: createSchemaPolicy(compileResponse, checkResponses, responses),
  };
}
