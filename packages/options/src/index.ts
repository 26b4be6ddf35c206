// Options: what they accept, and what is wrong with those that a caller passes.

export { findOptionProblems } from './options/check-options.js';
export { findSecretProblems } from './options/check-secrets.js';
export {
  anything,
  arrayOf,
  boolean,
  either,
  fn,
  hasMethods,
  integer,
  type Kind,
  type Kinds,
  kind,
  LONGEST_DELAY,
  milliseconds,
  nonEmptyString,
  object,
  oneOf,
  positiveMilliseconds,
  publicReason,
  string,
} from './options/kinds.js';
export { isOrigin, originOf, origins } from './options/origin.js';
export {
  explainUndescribedStatus,
  openapiExtensions,
  routeDocumentation,
  routeResponse,
  routeStatus,
  routeVersion,
} from './options/route-options.js';
export {
  anySchema,
  explainSchema,
  isSchema,
  isSchemaMap,
  schemaKind,
} from './options/schema-kinds.js';

// Places: where in its source an application calls a function.

export {
  type CallSite,
  captureCaller,
  captureCallSite,
  captureLine,
  describeCaller,
  describeCallSite,
  eagerClasses,
  type Frame,
  findFrame,
  framesOf,
  isAnonymous,
  type Locate,
} from './places/call-site.js';
export { describeFile, filePath, requireFrom } from './places/files.js';
export {
  atLine,
  formatLocation,
  type HiddenRoute,
  hiddenRouteAt,
  locatorOf,
  setLocation,
} from './places/locations.js';

// Messages: their words, and the errors and warnings that show them.

export {
  explainEarlyAccess,
  explainOneCopy,
  hideProperties,
  messageOf,
  numberMessages,
  printable,
  printError,
  reporterOf,
} from './messages/errors.js';
export { nearestName } from './messages/nearest-name.js';
export { escapeControls, escapeLine } from './messages/terminal-text.js';
export {
  explainSeconds,
  isIntended,
  markIntended,
  SHORTEST_TIMEOUT,
  warn,
} from './messages/warnings.js';
export { describeValue, joinWords, named } from './messages/words.js';

// HTTP: facts about messages, and the text of values in requests.

export { acceptedCodings } from './http/content-codings.js';
export { isTagList, matchesWeakly, parseTags } from './http/entity-tags.js';
export {
  essenceOf,
  includesType,
  isJson,
  isMediaRange,
  rangesOf,
  withCharset,
} from './http/media-types.js';
export { isHopByHop, isToken } from './http/names.js';
export { encodePathValue, fillPath } from './http/path-value.js';
export { memberPairs, textPairs, versionHeaders } from './http/request-text.js';
export { NO_CONTENT_STATUSES } from './http/statuses.js';

// Values of JavaScript, for every room.

export { setWithin } from './bounded-map.js';
export {
  assertConnected,
  assertStorable,
  backoff,
  isClass,
  isPlainObject,
  pointerKeys,
  within,
} from './values.js';
