import { ITEM_SCHEMA, USER_PAGE_SCHEMA } from '../fixtures.js';
import { starters } from './fastify.js';

export const start = starters({
  json: { type: 'object', properties: { message: { type: 'string' } } },
  param: { type: 'object', properties: { id: { type: 'string' } } },
  page: USER_PAGE_SCHEMA,
  'class-get': ITEM_SCHEMA,
});
