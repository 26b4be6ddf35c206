import { respondOperations } from '../responses.js';

export const operations = await respondOperations({}, {});
