import compile from 'fast-json-stringify';
import { starters } from './fairlead-class.js';

export const start = starters({ compileResponse: compile });
