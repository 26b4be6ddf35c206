import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Context } from '../../../../../packages/core/src/context/context.js';
import { createExchange } from '../../../../../packages/core/src/exchange/exchange.js';
import { compose } from '../../../../../packages/core/src/pipeline/pipeline.js';
import { createClientReader } from '../../../../../packages/core/src/server/trusted-proxies.js';
import { composeOperations } from '../middlewares.js';

const req = new IncomingMessage(new Socket());
Object.assign(req, { method: 'GET', url: '/' });
const errors = { includeStack: false, onError: () => {}, format: undefined };
const exchange = createExchange<Context>(req, new ServerResponse(req), {
  app: {},
  routes: { methods: () => new Set(), queryTypes: () => [] },
  errors,
  outermost: errors,
  readClient: createClientReader(undefined),
  sample: { next: () => false, restart: () => {} },
  closing: () => new AbortController().signal,
  validationStatus: 400,
});
const ctx = new Context(exchange);
const end = () => {};

export const operations = composeOperations((stack) => {
  const run = compose(stack);
  return () => run(ctx, end);
});
