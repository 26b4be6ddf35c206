import { createApp } from '@fairlead/core';
import { createMetrics } from '@fairlead/metrics';
import { Counter, register } from 'prom-client';
import { using } from '../../src/applications.js';
import { area } from '../../src/mistake.js';

const mistake = area('Options of @fairlead/metrics');

mistake(
  '`createMetrics({ path })`, which `router()` takes',
  { compiler: "'path'", startup: "has no option 'path'" },
  () => using(createMetrics({ path: '/metrics' }).middleware),
);

mistake('`createMetrics({ buckets })` in descending order', { startup: 'ascending order' }, () =>
  using(createMetrics({ buckets: [1, 0.1] }).middleware),
);

mistake(
  "`metrics.register()` with a name that Prometheus doesn't allow",
  { startup: 'name of a metric must be letters' },
  () => {
    const metrics = createMetrics({ processMetrics: false });
    metrics.register([{ name: 'jobs-waiting', help: 'Jobs.', type: 'gauge', value: () => 1 }]);
  },
);

mistake(
  'a `Counter` of prom-client in its default registry, which `createMetrics()` does not export',
  { warning: 'registers: [metrics.registry]' },
  async () => {
    const counter = new Counter({ name: 'orders_total', help: 'Orders.' });
    const metrics = createMetrics({ processMetrics: false });
    const app = using(metrics.middleware).route('/', metrics.router());
    const close = () => register.removeSingleMetric('orders_total');
    await app.plugin({ name: 'orders', install: () => counter.inc(), close });
    return app;
  },
);

mistake('metrics without a route for Prometheus', { request: 'Mount its router()' }, () =>
  using(createMetrics({ processMetrics: false }).middleware),
);

mistake(
  '`app.use(createMetrics())`',
  { compiler: 'provides no match for the signature', startup: 'middleware' },
  () => createApp().use(createMetrics({ processMetrics: false })),
);

mistake(
  "`app.route('/', metrics.router)`",
  { compiler: 'TS2345', startup: 'instead of a router' },
  () => createApp().route('/', createMetrics({ processMetrics: false }).router),
);
