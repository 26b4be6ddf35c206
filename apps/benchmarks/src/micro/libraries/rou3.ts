import * as rou3 from 'rou3';
import { ROUTES, routerOperations } from '../routes.js';

const router = rou3.createRouter<string>();
for (const [method, pattern] of ROUTES) rou3.addRoute(router, method, pattern, pattern);

const findRoute = (method: string, path: string) => rou3.findRoute(router, method, path)?.data;
const findId = (method: string, path: string) => rou3.findRoute(router, method, path)?.params?.id;

export const operations = routerOperations(findRoute, findId);
