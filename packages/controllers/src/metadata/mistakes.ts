import { type CallSite, describeCallSite, type Locate } from '@fairlead/options';
import { ControllerError, type Diagnostic, RouteRegistrationError } from '../errors.js';
import { classMetadata, lineage, locationOf, ownMetadata, styleOf } from './class-metadata.js';

/** What is wrong with a controller or a route as it is written. */
export interface Fault extends Diagnostic {
  /** Code of the error. Default: that of a {@link RouteRegistrationError}. */
  readonly code?: string;
}

/** A controller, or one of its methods, routes and properties. */
interface Place {
  readonly owner: object;
  /** Undefined for the controller. */
  readonly key?: string | symbol | undefined;
}

/**
 * Records a mistake, which the startup reports.
 *
 * @param site - Where the decorator was called. Default: where the controller is declared.
 */
export function recordMistake({ owner, key }: Place, fault: Fault, site?: CallSite): void {
  const { code, problem, fix, ...cause } = fault;
  const handler = handlerOf({ owner, key });
  let error: ControllerError | undefined;
  const toError = (locationOfClass: string | undefined): ControllerError => {
    if (error !== undefined) return error;
    const { hasPlaces } = styleOf(owner);
    const diagnostic = { ...cause, problem, ...(fix && { fix }) };
    const ofCall = hasPlaces ? site && describeCallSite(site) : locationOf(owner, key);
    error = new RouteRegistrationError(handler, diagnostic, ofCall ?? locationOfClass);
    if (code !== undefined) error = new ControllerError(error.message, { code });
    return error;
  };
  classMetadata(owner).problems.push({ member: key, toError });
}

function handlerOf({ owner, key }: Place): string {
  const name = (typeof owner === 'function' && owner.name) || '(anonymous class)';
  return key === undefined ? name : `${name}.${String(key)}`;
}

/** What {@link errorsOf} has returned for a class. */
const known = new WeakMap<object, Map<string, RouteRegistrationError>>();

/**
 * Creates the errors for mistakes in what a class declares. They are always the same, because a base class has them in
 * common with its subclasses.
 *
 * @param locate - Finds a location if that of the class is unknown, as for a base class without routes.
 */
export function errorsOf(
  { owner, key }: Place,
  diagnostics: readonly Diagnostic[],
  locate: Locate,
): RouteRegistrationError[] {
  const errors = known.get(owner) ?? new Map<string, RouteRegistrationError>();
  known.set(owner, errors);
  const handler = handlerOf({ owner, key });
  return diagnostics.map((one, index) => {
    const id = `${handler} ${index} ${one.problem}`;
    const error =
      errors.get(id) ??
      new RouteRegistrationError(handler, one, locationOf(owner, key) ?? locate());
    errors.set(id, error);
    return error;
  });
}

/** A mistake in the use of a decorator on a class or one of its base classes. */
export interface Mistake {
  /** The method or property that the decorator belongs to; undefined for the class. */
  readonly member: string | symbol | undefined;
  /** Returns always the same error. */
  readonly toError: () => ControllerError;
}

/** Lists the mistakes in the use of decorators on a class, a controller or not, and its base classes. */
export function mistakesOf(target: object): Mistake[] {
  return lineage(target).flatMap((level) =>
    (ownMetadata(level)?.problems ?? []).map(({ member, toError }) => ({
      member,
      toError: () => toError(locationOf(level) ?? locationOf(target)),
    })),
  );
}
