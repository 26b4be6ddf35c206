import { cpSync } from 'node:fs';
import { type Application, createApp } from '@fairlead/core';
import { FILES } from '../src/files.js';
import { area } from '../src/mistake.js';

const mistake = area('Applications and plugins');

const app = () => createApp().get('/', () => 1);

mistake(
  'a function as a plugin, as in Fastify',
  { compiler: 'TS2345', startup: 'app.plugin()' },
  () => app().plugin((own: Application) => own.get('/plugin', () => 1)),
);

mistake('a plugin without `install`', { compiler: "'install'", startup: 'install(app)' }, () =>
  app().plugin({ name: 'metrics' }),
);

mistake(
  'a plugin class instead of an instance',
  { compiler: "'install'", startup: /new|instance/ },
  () => {
    class Metrics {
      readonly name = 'metrics';
      install() {}
    }
    return app().plugin(Metrics);
  },
);

mistake('a plugin without `name`', { compiler: "'name'", startup: 'name' }, () =>
  app().plugin({ install() {} }),
);

mistake('a list of plugins', { compiler: "'Plugin'", startup: 'install(app)' }, () =>
  app().plugin([{ name: 'metrics', install() {} }]),
);

mistake(
  '`app.register(plugin)`, as in Fastify',
  { compiler: "'register'", startup: 'app(...).register is not a function' },
  () => app().register({ name: 'metrics', install() {} }),
);

mistake('a plugin that fails', { startup: 'no metrics' }, () =>
  app().plugin({
    name: 'metrics',
    install() {
      throw new Error('no metrics');
    },
  }),
);

mistake('a plugin whose `ready` fails', { startup: 'no metrics' }, () =>
  app().plugin({
    name: 'metrics',
    install() {},
    ready() {
      throw new Error('no metrics');
    },
  }),
);

mistake('a plugin whose `close` fails', { close: 'metrics' }, () =>
  app().plugin({
    name: 'metrics',
    install() {},
    close() {
      throw new Error('no disk');
    },
  }),
);

mistake(
  '`app.set(…)`, as in Express',
  { compiler: "'set'", startup: 'app(...).set is not a function' },
  () => app().set('trust proxy', 1),
);

mistake('`app.del(…)`', { compiler: "'del'", startup: 'app(...).del is not a function' }, () =>
  app().del('/users', () => 1),
);

mistake('a router of another copy of `@fairlead/core`', { startup: /copies|copy/ }, async () => {
  const copy = `${FILES}core`;
  cpSync('../../packages/core/src', copy, { recursive: true });
  const other: typeof import('@fairlead/core') = await import(`${copy}/index.js`);
  const router = other.createRouter().get('/users', () => 1);
  return app().route('/', router);
});
