import fastJsonStringify from 'fast-json-stringify';
import { respondOperations, Users } from '../responses.js';

const compileResponse = (schema: object) => fastJsonStringify(schema);

export const operations = await respondOperations({ compileResponse }, { response: Users });
