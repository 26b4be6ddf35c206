import { Context } from '@fairlead/core';
import { Service } from '@fairlead/di';
import { ControllerError } from '../errors/controller-error.js';

/**
 * Stands for the request's context as a dependency of request-scoped and transient services; what
 * they are given is the context itself. Nothing has to be registered for it.
 *
 * @throws {ControllerError} 500 `NO_REQUEST`, when a scope that no route has opened builds it.
 */
@Service({ scope: 'request' })
export class RequestContext extends Context {
  // The package is built without decorator metadata.
  static readonly inject = [] as const;

  constructor() {
    super(...refuse());
  }
}

/** Runs in the place of the arguments, so that no context is ever made here. */
function refuse(): ConstructorParameters<typeof Context> {
  throw new ControllerError(
    'There is no request whose context could be injected: only the scope that the route of a controller opens has one. Elsewhere, put one into the scope: scope.register(RequestContext, { useValue: ctx }).',
    { code: 'NO_REQUEST' },
  );
}
