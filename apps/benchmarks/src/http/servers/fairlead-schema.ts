import compile from 'fast-json-stringify';
import { starters } from './fairlead.js';

export const start = starters({ compileResponse: compile });
