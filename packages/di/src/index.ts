export { Container, container, createContainer } from './container.js';
export type {
  ContainerInterface,
  InitializeOptions,
  RequestScope,
} from './container-interface.js';
export { Inject, InjectAll, type InjectDecorator, Optional } from './decorators/inject.js';
export { isEager, Repository, Service, type ServiceOptions } from './decorators/service.js';
export {
  all,
  type Dependency,
  type Injection,
  type Lazy,
  lazy,
  optional,
  type Resolved,
  token,
} from './dependency.js';
export {
  CapturedScopeError,
  CyclicDependencyError,
  OutOfScopeError,
  type UnknownTokenDetails,
  UnknownTokenError,
} from './errors/graph-errors.js';
export { InjectionError, type InjectionErrorInit } from './errors/injection-error.js';
export {
  AsyncDisposalError,
  AsyncProviderError,
  ConstructionError,
  DisposedError,
  InitializationError,
} from './errors/lifecycle-errors.js';
export {
  ErasedTypeError,
  MissingMetadataError,
  type MissingMetadataReason,
  MixedCopiesError,
  type ParameterErrorDetails,
  UndefinedTypeError,
} from './errors/metadata-errors.js';
export {
  InvalidArgumentError,
  InvalidDecoratorError,
  InvalidProviderError,
  type Mistake,
} from './errors/usage-errors.js';
export type {
  ClassProvider,
  ExistingProvider,
  FactoryProvider,
  Provider,
  RegisterOptions,
  Scope,
  ValueProvider,
} from './provider.js';
export type { Snapshot } from './registry.js';
export {
  type Class,
  type Constructor,
  describePath,
  describeToken,
  type InjectionToken,
  isToken,
  type Token,
} from './token.js';
