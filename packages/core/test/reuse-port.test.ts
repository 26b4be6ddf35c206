import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { createApp, listen } from '../src/index.js';
import { serve } from './support/serve.js';

it('two servers with reusePort share a port', async () => {
  const appNamed = (name: string) => createApp().use((ctx) => ctx.send(name));
  const { port } = await serve(appNamed('one'), { reusePort: true });
  const other = await listen(appNamed('two'), port, { host: '127.0.0.1', reusePort: true });
  const answered = new Set<string>();
  // The system chooses a server for each connection by its addresses and ports.
  while (answered.size < 2) {
    const outgoing = get({ port, host: '127.0.0.1', agent: false });
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    answered.add(Buffer.concat(await incoming.toArray()).toString());
  }
  expect(answered).toEqual(new Set(['one', 'two']));
  await other.close();
});

it('a server without reusePort does not share its port', async () => {
  const { port } = await serve(createApp());
  const options = { host: '127.0.0.1', reusePort: true };
  await expect(listen(createApp(), port, options)).rejects.toMatchObject({ code: 'LISTEN_FAILED' });
});
