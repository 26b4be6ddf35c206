import { Memoirist } from 'memoirist';
import { onRequests, PARAM_ROUTES, ROUTES, STATIC_ROUTES } from '../routes.js';

const router = new Memoirist<string>();
for (const [method, pattern] of ROUTES) router.add(method, pattern, pattern);

const findRoute = (method: string, path: string) => router.find(method, path)?.store;
const findId = (method: string, path: string) => router.find(method, path)?.params.id;

export const operations = {
  'router-param': () => onRequests(PARAM_ROUTES, findId),
  'router-static': () => onRequests(STATIC_ROUTES, findRoute),
  'router-all': () => onRequests(ROUTES, findRoute),
};
