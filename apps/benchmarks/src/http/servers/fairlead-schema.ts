import build, { type Schema } from 'fast-json-stringify';
import { ID_SCHEMA, ITEM_SCHEMA, MESSAGE_SCHEMA, USER_PAGE_SCHEMA } from '../fixtures.js';
import { starters, type Write } from './fairlead.js';

const compile = (schema: Schema) => build(schema) as Write;

export const start = starters({
  json: compile(MESSAGE_SCHEMA),
  param: compile(ID_SCHEMA),
  page: compile(USER_PAGE_SCHEMA),
  'class-get': compile(ITEM_SCHEMA),
});
