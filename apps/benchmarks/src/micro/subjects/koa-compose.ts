import compose from 'koa-compose';
import { pipelines } from '../middlewares.js';

const context = {};

export const operations = pipelines((stack) => {
  const run = compose([...stack]);
  return () => run(context);
});
