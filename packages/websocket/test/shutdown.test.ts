import { once } from 'node:events';
import { json } from 'node:stream/consumers';
import { Controller, defineController, Get, UseInterceptor } from '@fairlead/controllers';
import { type Application, createApp } from '@fairlead/core';
import { createTestApp, type TestAppOptions } from '@fairlead/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { websocket, websocketUpgrade } from '../src/index.js';
import { closing, connect, open, openRaw, serve } from './support.js';

const ignore = () => undefined;
const app = () => createApp().get('/', websocket(ignore));

async function createWith(...controllers: NonNullable<TestAppOptions['controllers']>) {
  const created = await createTestApp({ controllers });
  onTestFinished(() => created.close());
  return created.app;
}

describe('server.close()', () => {
  it('closes connections with 1001 and waits for them', async () => {
    const server = await serve(app());
    const clients = await Promise.all([open(server, '/'), open(server, '/')]);
    const reasons = Promise.all(clients.map(closing));
    await server.close({ timeout: Number.POSITIVE_INFINITY });
    expect(await reasons).toEqual(Array(2).fill('1001 The server is closing.'));
  });

  it('disconnects clients that do not confirm it at the deadline', async () => {
    const server = await serve(app());
    const { ended } = await openRaw(server, '/');
    await server.close({ timeout: 100 });
    expect(await ended()).toContain('\x03\xe9The server is closing.');
  });

  it.each<[string, (work: () => Promise<void>) => Application | Promise<Application>]>([
    [
      'middleware finishes',
      (work) =>
        createApp()
          .use(async (_, next) => {
            await work();
            await next();
          })
          .get('/', websocket(ignore)),
    ],
    [
      'method finishes, in a class,',
      (work) => {
        @Controller('/')
        class Sockets {
          @Get()
          @UseInterceptor(websocketUpgrade())
          async join() {
            await work();
            return ignore;
          }
        }
        return createWith(Sockets);
      },
    ],
    [
      'method finishes, in a value,',
      (work) => {
        const interceptors = [websocketUpgrade()];
        const join = async () => {
          await work();
          return ignore;
        };
        return createWith(
          defineController('/', {
            routes: ({ get }) => ({ join: get('/', { interceptors }, join) }),
          }),
        );
      },
    ],
  ])('refuses handshakes whose %s later', async (_, create) => {
    const [started, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const server = await serve(
      await create(async () => {
        started.resolve();
        await released.promise;
      }),
    );
    const client = connect(server, '/');
    const outcome = Promise.race([once(client, 'unexpected-response'), once(client, 'open')]);
    await started.promise;
    const closed = server.close({ timeout: Number.POSITIVE_INFINITY });
    server.closing.addEventListener('abort', () => released.resolve());
    const [, reply] = await outcome;
    expect(reply?.statusCode).toBe(503);
    expect(await json(reply)).toMatchObject({ code: 'SERVER_CLOSING' });
    await closed;
  });
});
