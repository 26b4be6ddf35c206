import { createApp, listen } from '@fairlead/core';
import { websocket } from '@fairlead/websocket';
import { area } from '../../src/mistake.js';

const mistake = area('Options of @fairlead/websocket');

mistake(
  '`websocket()` without a handler',
  { compiler: 'arguments', startup: 'Pass a function (socket, ctx)' },
  () => createApp().get('/', websocket()),
);

mistake(
  '`websocket({ maxMessageSize })` without a handler',
  { compiler: "'maxMessageSize'", startup: 'Pass a function (socket, ctx)' },
  () => createApp().get('/', websocket({ maxMessageSize: 1_024 })),
);

mistake(
  '`websocket(handler, { maxPayload })`, an option of ws',
  { compiler: "'maxPayload'", startup: "has no option 'maxPayload'" },
  () =>
    createApp().get(
      '/',
      websocket(() => undefined, { maxPayload: 1_024 }),
    ),
);

mistake(
  "`websocket(handler, { origins: 'https://app.example.com' })`",
  { compiler: 'TS2322', startup: 'an array of origins' },
  () =>
    createApp().get(
      '/',
      websocket(() => undefined, { origins: 'https://app.example.com' }),
    ),
);

mistake(
  "`websocket(handler, { maxMessageSize: '64kb' })`",
  { compiler: "'string'", startup: 'integer number of bytes' },
  () =>
    createApp().get(
      '/',
      websocket(() => undefined, { maxMessageSize: '64kb' }),
    ),
);

mistake(
  'a WebSocket route for all paths beside another listener for `upgrade`, such as socket.io',
  { warning: 'leaves no handshake to other listeners for upgrade' },
  async () => {
    const server = await listen(
      createApp().get(
        '/*path',
        websocket(() => undefined),
      ),
      0,
    );
    server.node.on('upgrade', (_req, socket) => socket.destroy());
    return server;
  },
);
