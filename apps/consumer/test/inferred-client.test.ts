import 'reflect-metadata';
import { setTimeout } from 'node:timers/promises';
import { type ClientOf, createClient, type EventMessage } from '@fairlead/client';
import { controllersPlugin, defineController } from '@fairlead/controllers';
import { createApp, createRouter, errorHandler, listen } from '@fairlead/core';
import { eventStream } from '@fairlead/middleware';
import { describe, expect, expectTypeOf, it, onTestFinished } from 'vitest';

interface Job {
  readonly id: string;
  readonly startedAt: Date;
}

const released = Promise.withResolvers<void>();

async function* watchJobs(id: string, last: string | undefined) {
  yield { event: 'started', id: '1', data: { id, startedAt: new Date(0) } as Job } as const;
  yield { event: 'progress', id: '2', data: { percent: 50, last } } as const;
  yield { data: [id] } as const;
  yield { event: 'log', data: '{"text":true}' } as const;
}

async function* watchForever() {
  try {
    for (let tick = 0; ; tick += 1) {
      yield { data: { tick } };
      await setTimeout(1);
    }
  } finally {
    released.resolve();
  }
}

const jobs = defineController('/jobs', {
  routes: ({ get }) => ({
    watch: get('/:id/events', (ctx) =>
      eventStream(watchJobs(ctx.params.id, ctx.get('Last-Event-ID'))),
    ),
    ticks: get('/ticks', async () => eventStream(watchForever())),
    find: get('/:id', ({ params }) => ({ id: params.id })),
  }),
});

type Api = ClientOf<[typeof jobs], '/api'>;

async function connect() {
  const router = createRouter();
  const app = createApp().use(errorHandler());
  await app.plugin(controllersPlugin({ router, prefix: '/api', controllers: [jobs] }));
  const server = await listen(app.route('/', router), 0);
  onTestFinished(() => server.close({ timeout: 0 }));
  return createClient<Api>(server.url);
}

describe('events() of a client', () => {
  it('yields what the generator of the route yields, as JSON', async () => {
    const client = await connect();
    const headers = { 'Last-Event-ID': '7' };
    const events = client.events('/api/jobs/:id/events', { params: { id: 'a' }, headers });
    const shown: unknown[] = [];
    for await (const event of events) {
      if (event.event === 'started') {
        expectTypeOf(event.data.startedAt).toEqualTypeOf<string>();
        shown.push(event.data.startedAt.slice(0, 4), event.id);
      } else if (event.event === 'progress') {
        shown.push(event.data.percent + 1, event.data.last);
      } else if (event.event === 'message') {
        expectTypeOf(event.data).toEqualTypeOf<readonly [string]>();
        shown.push(event.data[0]);
      } else {
        expectTypeOf(event).toEqualTypeOf<EventMessage<'log', unknown>>();
        shown.push(event.data);
      }
    }
    expect(shown).toEqual(['1970', '1', 51, '7', 'a', { text: true }]);
  });

  it('ends the stream on the server when the loop is left', async () => {
    const client = await connect();
    for await (const { data } of client.events('/api/jobs/ticks')) {
      expectTypeOf(data).toEqualTypeOf<{ readonly tick: number }>();
      if (data.tick === 2) break;
    }
    await expect(released.promise).resolves.toBeUndefined();
  });

  it('does not know the events of a route without an event stream', () => {
    const events = () => createClient<Api>('').events('/api/jobs/:id', { params: { id: 'a' } });
    expectTypeOf(events).returns.toEqualTypeOf<AsyncGenerator<EventMessage, void, undefined>>();
    expect(events).toBeTypeOf('function');
  });
});
