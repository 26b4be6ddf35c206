import { addRoute, createRouter } from 'rou3';
import { compileRouter } from 'rou3/compiler';
import { ROUTES, routerOperations } from '../routes.js';

const router = createRouter<string>();
for (const [method, pattern] of ROUTES) addRoute(router, method, pattern, pattern);
const find = compileRouter(router);

const findRoute = (method: string, path: string) => find(method, path)?.data;
const findId = (method: string, path: string) => find(method, path)?.params?.id;

export const operations = routerOperations(findRoute, findId);
