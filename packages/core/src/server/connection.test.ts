import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { closeWithSocket } from './connection.js';

// Since version 24, Node.js closes them itself if the connection is that of a server.
it('responses that wait for earlier ones close once when their connection does', () => {
  const socket = new Socket();
  const closed: string[] = [];
  const create = (name: string) => {
    const res = new ServerResponse(new IncomingMessage(socket));
    closeWithSocket(res);
    res.on('close', () => closed.push(`${name} ${res.closed} ${res.destroyed}`));
    return res;
  };
  create('current').assignSocket(socket);
  create('ended').emit('close');
  create('waiting');
  create('last');
  socket.emit('close');
  expect(closed.toSorted()).toEqual([
    'current true true',
    'ended false false',
    'last true true',
    'waiting true true',
  ]);
});
