import { Memoirist } from 'memoirist';
import { ROUTES, routerOperations } from '../routes.js';

const router = new Memoirist<string>();
for (const [method, pattern] of ROUTES) router.add(method, pattern, pattern);

const findRoute = (method: string, path: string) => router.find(method, path)?.store;
const findId = (method: string, path: string) => router.find(method, path)?.params.id;

export const operations = routerOperations(findRoute, findId);
