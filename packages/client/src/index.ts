export {
  type Client,
  type ClientOptions,
  createClient,
  type Problem,
  ResponseError,
} from './client.js';
export type {
  Api,
  CallArguments,
  CallOptions,
  ClientOf,
  Contract,
  EventMessage,
  EventOf,
  Json,
  Method,
  Result,
  Success,
} from './contract.js';
