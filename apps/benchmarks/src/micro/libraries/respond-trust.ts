import { respondOperations, Users } from '../responses.js';

export const operations = await respondOperations({ responses: 'trust' }, { response: Users });
