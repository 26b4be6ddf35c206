import { createJobs } from '@fairlead/jobs';
import { type JobsStore, storeBackend } from '@fairlead/jobs/store';
import { defineWebhooks, webhookSignature } from '@fairlead/jobs/webhooks';
import { z } from 'zod';
import { using } from '../../src/applications.js';
import { area } from '../../src/mistake.js';

const mistake = area('Jobs');

const payload = z.object({ email: z.string() });

/** Jobs in a store that has none. */
function open() {
  const store: JobsStore = {
    write: async () => undefined,
    read: (work) => work({ jobs: { isDue: () => false, failed: () => [] } }),
  };
  return createJobs(storeBackend(store));
}

mistake(
  'a job without a payload',
  { compiler: "'payload'", startup: 'needs the option payload' },
  () => open().define('welcome', {}, () => undefined),
);

mistake('a payload that is no schema', { compiler: 'email', startup: 'a Standard Schema' }, () =>
  open().define('welcome', { payload: { email: 'string' } }, () => undefined),
);

mistake(
  '`{ attempts }`, an option of BullMQ',
  { compiler: "'attempts'", startup: "has no option 'attempts'" },
  () => open().define('welcome', { payload, attempts: 3 }, () => undefined),
);

mistake('a job without a handler', { compiler: 'arguments', startup: 'as the handler' }, () =>
  open().define('welcome', { payload }),
);

mistake('a space in the name of a job', { startup: 'as the name of a job' }, () =>
  open().define('welcome mail', { payload }, () => undefined),
);

mistake('two jobs with the same name', { startup: "The job 'welcome' is defined twice" }, () => {
  const jobs = open();
  jobs.define('welcome', { payload }, () => undefined);
  jobs.define('welcome', { payload }, () => undefined);
});

mistake(
  'a job that is defined after `start()`',
  { startup: 'was defined after jobs were opened' },
  async () => {
    const jobs = open();
    await jobs.open();
    jobs.define('welcome', { payload }, () => undefined);
  },
);

mistake('`start()` twice', { startup: 'jobs are open already' }, async () => {
  const jobs = open();
  await jobs.open();
  await jobs.start();
});

mistake(
  '`start()` with the signal instead of the lifecycle',
  { compiler: 'onClose', startup: 'as the lifecycle' },
  () => open().start(new AbortController().signal),
);

mistake(
  '`transaction: true` in `storeBackend(store)`, without the transactions of the store',
  { startup: "lacks the transactions for the jobs 'welcome'" },
  async () => {
    const jobs = open();
    jobs.define('welcome', { payload, transaction: true }, () => undefined);
    await jobs.start();
  },
);

mistake(
  '`defineWebhooks(jobs)` without where they go',
  { compiler: 'arguments', startup: 'needs the option endpointOf' },
  () => defineWebhooks(open()),
);

mistake(
  '`webhookSignature()` without secrets',
  { compiler: 'arguments', startup: 'needs the option secrets' },
  () => using(webhookSignature()),
);
