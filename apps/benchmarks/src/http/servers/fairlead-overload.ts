import { type Application, createApp, listen } from '@fairlead/core';
import { overload } from '@fairlead/middleware/overload';
import { work } from '../../overload/work.js';

const serve = (app: Application) => listen(app, 0, { host: '127.0.0.1' });

const create = () => createApp().get('/live', () => ({ status: 'ok' }));

export const start = {
  none: () => serve(create().get('/work', work)),
  limited: () => serve(create().use(overload()).get('/work', work)),
};
