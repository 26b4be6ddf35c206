import createRouter, { type HTTPMethod } from 'find-my-way';
import { ROUTES, routerOperations } from '../routes.js';

const router = createRouter();
for (const [method, pattern] of ROUTES) router.on(method as HTTPMethod, pattern, () => pattern);

const find = (method: string, path: string) => router.find(method as HTTPMethod, path);
const findRoute = (method: string, path: string) => find(method, path)?.handler;
const findId = (method: string, path: string) => find(method, path)?.params.id;

export const operations = routerOperations(findRoute, findId);
