import { createClient } from '@fairlead/client';
import { type Application, createApp, listen, urlencoded } from '@fairlead/core';
import { mcp } from '@fairlead/mcp';
import { multipart } from '@fairlead/multipart';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { type Case, LIBRARIES } from './text-values.js';

type Values = Readonly<Record<string, unknown>>;

/** Sends values to the route of a schema, and returns what the route received. */
export type Send = (index: number, values: Values) => Promise<unknown>;

/** Creates an application with a route for each schema, which responds with what it receives. */
export function createEcho(
  library: keyof typeof LIBRARIES,
  cases: readonly Case[],
  withTools = false,
): Application {
  const app = createApp().use(urlencoded(), multipart());
  for (const [index, { spec }] of cases.entries()) {
    const schema = LIBRARIES[library](spec);
    const tool = { tool: withTools, public: 'Everyone may call it.' };
    app.get(`/${index}`, { query: schema, ...tool, operationId: `t${index}` }, ({ query }) => ({
      query,
    }));
    app.post(`/${index}`, { body: schema }, ({ body }) => ({ query: body }));
  }
  return app;
}

/** Writes values as a form of a browser would. */
function pairsOf(values: Values): [string, string][] {
  return Object.entries(values).flatMap(([name, value]): [string, string][] => {
    if (Array.isArray(value)) return value.map((one) => [name, String(one)]);
    if (typeof value !== 'object' || value === null) return [[name, String(value)]];
    return pairsOf(value as Values).map(([key, text]) => [`${name}[${key}]`, text]);
  });
}

/** The ways in which text reaches an application. */
export const CHANNELS: Readonly<Record<string, (app: Application) => Promise<Send>>> = {
  async query(app) {
    return async (index, values) =>
      read(await app.request(`/${index}?${new URLSearchParams(pairsOf(values))}`));
  },

  async urlencoded(app) {
    return async (index, values) => {
      const body = new URLSearchParams(pairsOf(values));
      return read(await app.request(`/${index}`, { method: 'POST', body }));
    };
  },

  async multipart(app) {
    return async (index, values) => {
      const body = new FormData();
      for (const [name, text] of pairsOf(values)) body.append(name, text);
      return read(await app.request(`/${index}`, { method: 'POST', body }));
    };
  },

  async client(app) {
    const client = createClient('http://localhost', { fetch: (request) => app.fetch(request) });
    return async (index, query) => {
      const { query: received } = (await client.get(`/${index}`, { query } as never)) as {
        readonly query: unknown;
      };
      return received;
    };
  },

  async tool(app) {
    await app.plugin(mcp({ name: 'echo', version: '1.0.0' }));
    const server = await listen(app, 0);
    const mode = { pin: '2026-07-28' };
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', server.url)));
    onTestFinished(async () => {
      await client.close();
      await server.close({ timeout: 0 });
    });
    const { tools } = await client.listTools();
    return async (index, values) => {
      const tool = tools.find(({ name }) => name === `t${index}`);
      // A union or a record is one argument.
      const isWhole = Object.keys(tool?.inputSchema.properties ?? {}).join() === 'query';
      const args = isWhole && !('query' in values) ? { query: values } : { ...values };
      const { content } = await client.callTool({ name: `t${index}`, arguments: args });
      const [first] = content;
      const text = first?.type === 'text' ? first.text : '';
      return text.startsWith('{') ? JSON.parse(text).query : text;
    };
  },
};

async function read(response: Response): Promise<unknown> {
  const body = (await response.json()) as { readonly query?: unknown };
  return response.ok ? body.query : body;
}
