import { decodeParams } from '../../../../../packages/core/src/exchange/params.js';
import { onRequests, PARAM_ROUTES } from '../routes.js';
import { tree } from './fairlead-router.js';

/** Reads the parameter as a context does: decoded, from an object without a prototype. */
function findId(method: string, path: string): unknown {
  const found = tree.find(method, path);
  return found && decodeParams(found.value, found.rawParams).id;
}

export const operations = {
  'router-param': () => onRequests(PARAM_ROUTES, findId),
};
