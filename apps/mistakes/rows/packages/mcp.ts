import { Controller, defineController, Get } from '@fairlead/controllers';
import { type Application, createApp, type RouteTool } from '@fairlead/core';
import { type McpOptions, mcp } from '@fairlead/mcp';
import { multipart } from '@fairlead/multipart';
import { websocket } from '@fairlead/websocket';
import { z } from 'zod';
import { serveControllers } from '../../src/applications.js';
import { area } from '../../src/mistake.js';

const mistake = area('Tools for agents');

const server: McpOptions = { name: 'users', version: '1.0.0' };

const withTool = (tool: boolean | RouteTool) => createApp().get('/', { tool }, () => 1);

const withOpenTool = () =>
  createApp().get('/', { tool: true, public: 'Everyone may call it.' }, () => 1);

const serving = (app: Application, options: McpOptions = server) => app.plugin(mcp(options));

mistake('`tool: { nmae }`', { compiler: "'nmae'", startup: "Did you mean 'name'?" }, () =>
  withTool({ nmae: 'list' }),
);

mistake("`tool: { name: 'list users' }`", { startup: '1 to 128 letters' }, () =>
  withTool({ name: 'list users' }),
);

mistake(
  "`tool: 'list'`, a name instead of an object",
  { compiler: '"list"', startup: 'true, or an object such as { name, description }' },
  () => withTool('list'),
);

mistake('`tool: true` without `mcp()`', { warning: 'Install mcp() of @fairlead/mcp' }, () =>
  withTool(true),
);

mistake('`tool: true` in `@Get()`, without `mcp()`', { warning: 'Install mcp()' }, () => {
  @Controller()
  class Users {
    @Get('', { tool: true })
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake('`tool: true` in `defineController()`, without `mcp()`', { warning: 'Install mcp()' }, () =>
  serveControllers([
    defineController('', { routes: ({ get }) => ({ list: get('', { tool: true }, () => []) }) }),
  ]),
);

mistake('a tool whose route has no guard', { warning: "public: 'a reason'" }, () =>
  serving(withTool(true)),
);

mistake('two tools with the same name', { startup: 'Give one of them another name' }, () =>
  serving(
    createApp()
      .get('/', { tool: { name: 'list' }, public: 'Everyone may call it.' }, () => 1)
      .get('/items', { tool: { name: 'list' }, public: 'Everyone may call it.' }, () => 1),
  ),
);

mistake('a tool that opens WebSocket connections', { startup: 'Remove tool from the route' }, () =>
  serving(
    createApp()
      .get('/', () => 1)
      .get(
        '/chat',
        { tool: true, public: 'Everyone may call it.' },
        websocket(() => undefined),
      ),
  ),
);

mistake('a tool for every method', { startup: 'for one method' }, () =>
  serving(createApp().all('/', { tool: true, public: 'Everyone may call it.' }, () => 1)),
);

mistake('a tool that only reads forms with files', { startup: 'Accept JSON' }, () =>
  serving(
    createApp().post(
      '/',
      { body: z.object({ name: z.string() }), tool: true, public: 'Everyone may call it.' },
      multipart(),
      () => 1,
    ),
  ),
);

mistake(
  '`app.use(mcp())`, a plugin as middleware',
  { compiler: 'provides no match for the signature', startup: 'app.plugin' },
  () =>
    createApp()
      .use(mcp(server))
      .get('/', () => 1),
);

mistake(
  '`mcp({ name })` without a version',
  { compiler: "'version'", startup: 'needs a version' },
  () => serving(withOpenTool(), { name: 'users' }),
);

mistake(
  "`mcp({ origins: ['https://app.example.com/'] })`, with a trailing slash",
  { startup: 'without a path or a trailing slash' },
  () => serving(withOpenTool(), { ...server, origins: ['https://app.example.com/'] }),
);

mistake("`mcp({ path: 'mcp' })`", { startup: "such as '/mcp'" }, () =>
  serving(withOpenTool(), { ...server, path: 'mcp' }),
);

mistake(
  '`mcp({ authorization: { issuer } })`',
  { compiler: "'issuer'", startup: '{ resource, servers, scopes }' },
  () =>
    serving(withOpenTool(), {
      ...server,
      authorization: { issuer: 'https://login.example.com' },
    }),
);
