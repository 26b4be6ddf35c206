import {
  FOUND_SCHEMA,
  ID_SCHEMA,
  ITEM_SCHEMA,
  MESSAGE_SCHEMA,
  ORDER_SCHEMA,
  USER_PAGE_SCHEMA,
} from '../fixtures.js';
import { starters } from './fastify.js';

export const start = starters({
  json: MESSAGE_SCHEMA,
  param: ID_SCHEMA,
  page: USER_PAGE_SCHEMA,
  'class-get': ITEM_SCHEMA,
  'valid-get': FOUND_SCHEMA,
  'valid-post': ORDER_SCHEMA,
});
