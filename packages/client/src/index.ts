export {
  type Client,
  type ClientOptions,
  createClient,
  type EventMessage,
  type Problem,
  ResponseError,
} from './client.js';
export type {
  Api,
  CallArguments,
  CallOptions,
  ClientOf,
  Contract,
  Json,
  Method,
  Result,
  Success,
} from './contract.js';
