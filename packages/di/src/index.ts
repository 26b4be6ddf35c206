export { Container, type ContainerInterface, container, createContainer } from './container.js';
export { Inject, InjectAll, type InjectDecorator, Optional } from './decorators/inject.js';
export {
  isEager,
  Repository,
  Service,
  type ServiceDecorator,
  type ServiceOptions,
} from './decorators/service.js';
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
  AsyncDisposalError,
  AsyncProviderError,
  CapturedScopeError,
  ConstructionError,
  CyclicDependencyError,
  DisposedError,
  InitializationError,
  InjectionError,
  type InjectionErrorInit,
  InvalidArgumentError,
  InvalidDecoratorError,
  InvalidProviderError,
  type Mistake,
  OutOfScopeError,
  type UnknownTokenDetails,
  UnknownTokenError,
} from './errors/injection-errors.js';
export {
  ErasedTypeError,
  MissingMetadataError,
  type MissingMetadataReason,
  MixedCopiesError,
  type ParameterErrorDetails,
  UndefinedTypeError,
} from './errors/metadata-errors.js';
export type { InitializeOptions } from './initialize.js';
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
export type { RequestScope, ScopeInterface } from './scope.js';
export type { CheckedInject, Injectable, Injectables, WrongInject } from './static-inject.js';
export {
  type Class,
  type Constructor,
  describePath,
  describeToken,
  type InjectionToken,
  isToken,
  type Token,
} from './token.js';
