import compose from 'koa-compose';
import { composeOperations } from '../middlewares.js';

const context = {};

export const operations = composeOperations((stack) => {
  const run = compose([...stack]);
  return () => run(context);
});
