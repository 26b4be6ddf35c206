import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OUTPUT } from '../compile.js';

/** A route of a generated API. */
interface Route {
  readonly method: 'get' | 'post' | 'put';
  readonly path: string;
  readonly params?: 'Id';
  readonly query?: 'Page';
  readonly body?: 'New';
  readonly response: 'Items' | 'Item';
  /** What the handler returns. It reads the inputs by their names. */
  readonly result: string;
  /** The inputs of a call. */
  readonly call: { readonly params?: string; readonly query?: string; readonly body?: string };
  /** The member of the response that a call reads, and its type. */
  readonly reads: readonly [name: string, type: string];
}

const NEW = "{ name: 'a', email: 'b', tags: [] }";

/** The routes of a controller follow this cycle. */
const CYCLE = [
  {
    ...{ method: 'get', path: '', query: 'Page', response: 'Items' },
    ...{ result: '{ data: [item], total: query.page ?? 0 }', call: { query: '{ page: 1 }' } },
    reads: ['total', 'number'],
  },
  {
    ...{ method: 'get', path: '/:id', params: 'Id', response: 'Item' },
    ...{ result: '{ ...item, id: params.id }', call: { params: "{ id: '1' }" } },
    reads: ['name', 'string'],
  },
  {
    ...{ method: 'post', path: '', body: 'New', response: 'Item' },
    ...{ result: '{ ...item, ...body }', call: { body: NEW }, reads: ['id', 'string'] },
  },
  {
    ...{ method: 'put', path: '/:id', params: 'Id', body: 'New', response: 'Item' },
    ...{ result: '{ ...item, ...body }', call: { params: "{ id: '1' }", body: NEW } },
    reads: ['id', 'string'],
  },
] as const satisfies readonly Route[];

const SCHEMAS = `
import { z } from 'zod';
const Page = z.object({ page: z.coerce.number().optional(), limit: z.coerce.number().optional() });
const Id = z.object({ id: z.string() });
const New = z.object({ name: z.string(), email: z.string(), tags: z.array(z.string()) });
const Item = New.extend({ id: z.string(), createdAt: z.string() });
const Items = z.object({ data: z.array(Item), total: z.number() });
const item = { id: '1', name: 'a', email: 'b', tags: ['c'], createdAt: '' };
`;

/** Lists the inputs of a route with their schemas, such as `params: Id, body: New`. */
const schemasOf = ({ params, query, body }: Route) =>
  Object.entries({ params, query, body })
    .filter(([, schema]) => schema)
    .map(([name, schema]) => `${name}: ${schema}`)
    .join(', ');

const inputsOf = ({ params, query, body }: Route) =>
  Object.keys(JSON.parse(JSON.stringify({ params, query, body }))).join(', ');

/** How an API and its calls are written with a framework. */
export interface ClientKind {
  readonly title: string;
  /** Starts the module of the server. */
  readonly server: string;
  /** Creates `name`, which handles the routes under `/name`. */
  controller(name: string, routes: readonly (readonly [name: string, route: Route])[]): string;
  /** Ends the module of the server. It exports the type `Api`. */
  end(names: readonly string[]): string;
  /** Creates `client`. */
  readonly client: string;
  /** Declares a constant with the result of a call. */
  call(id: number, controller: string, name: string, route: Route): string;
  /** The text before and after the cursor for the completion of a route, and an expected result. */
  readonly completion: readonly [before: string, after: string, expected: string];
}

const hono: ClientKind = {
  title: 'Hono, hc',
  server: "import { Hono } from 'hono';\nimport { zValidator } from '@hono/zod-validator';",
  controller(name, routes) {
    const sources = { params: 'param', query: 'query', body: 'json' } as const;
    const inputs = ({ params, query, body }: Route) =>
      Object.entries({ params, query, body }).flatMap(([input, schema]) =>
        schema ? [{ input, schema, source: sources[input as keyof typeof sources] }] : [],
      );
    const chain = routes.map(([path, route]) => {
      const used = inputs(route);
      const validators = used.map(({ source, schema }) => `zValidator('${source}', ${schema}), `);
      const reads = used.map(({ input, source }) => `const ${input} = c.req.valid('${source}');`);
      return `.${route.method}('/${path}${route.path}', ${validators.join('')}(c) => { ${reads.join(' ')} return c.json(${route.result}); })`;
    });
    return `const ${name} = new Hono()\n  ${chain.join('\n  ')};`;
  },
  end: (names) =>
    `const app = new Hono()${names.map((name) => `.route('/${name}', ${name})`).join('')};\nexport type Api = typeof app;`,
  client:
    "import { hc } from 'hono/client';\nimport type { Api } from './server.ts';\nconst client = hc<Api>('http://localhost');",
  call(id, controller, name, { path, method, call, reads: [member, type] }) {
    const { params, body, query } = call as Route['call'];
    const inputs = [
      ...(params ? [`param: ${params}`] : []),
      // hc takes the text of a query.
      ...(query ? [`query: ${query.replace('1', "'1'")}`] : []),
      ...(body ? [`json: ${body}`] : []),
    ];
    const target = `client.${controller}.${name}${path === '' ? '' : "[':id']"}`;
    return `const answer${id} = await ${target}.$${method}({ ${inputs.join(', ')} });\nexport const value${id}: ${type} | undefined = answer${id}.ok ? (await answer${id}.json()).${member} : undefined;`;
  },
  completion: ['client.r0.', '', 'a0'],
};

const eden: ClientKind = {
  title: 'Elysia, Eden',
  server: "import { Elysia } from 'elysia';",
  controller(name, routes) {
    const chain = routes.map(
      ([path, route]) =>
        `.${route.method}('/${path}${route.path}', ({ ${inputsOf(route)} }) => (${route.result}), { ${schemasOf(route)}, response: ${route.response} })`,
    );
    return `const ${name} = new Elysia({ prefix: '/${name}' })\n  ${chain.join('\n  ')};`;
  },
  end: (names) =>
    `const app = new Elysia()${names.map((name) => `.use(${name})`).join('')};\nexport type Api = typeof app;`,
  client:
    "import { treaty } from '@elysiajs/eden';\nimport type { Api } from './server.ts';\nconst client = treaty<Api>('http://localhost');",
  call(id, controller, name, { method, call, reads: [member, type] }) {
    const { params, body, query } = call as Route['call'];
    const target = `client.${controller}.${name}${params ? `(${params})` : ''}`;
    const given = body ?? (query ? `{ query: ${query} }` : '');
    return `export const value${id}: ${type} | undefined = (await ${target}.${method}(${given})).data?.${member};`;
  },
  completion: ['client.r0.', '', 'a0'],
};

const fairlead: ClientKind = {
  title: 'Fairlead, @fairlead/client',
  server: "import { defineController } from '@fairlead/controllers';",
  controller(name, routes) {
    const record = routes.map(
      ([path, route]) =>
        `${path}: ${route.method}('/${path}${route.path}', { ${schemasOf(route)}, response: ${route.response} }, ({ ${inputsOf(route)} }) => (${route.result})),`,
    );
    return `export const ${name} = defineController('/${name}', { routes: ({ get, post, put }) => ({\n  ${record.join('\n  ')}\n}) });`;
  },
  end: (names) =>
    `import type { ClientOf } from '@fairlead/client';\nexport type Api = ClientOf<[${names.map((name) => `typeof ${name}`).join(', ')}]>;`,
  client:
    "import { createClient } from '@fairlead/client';\nimport type { Api } from './server.ts';\nconst client = createClient<Api>('http://localhost');",
  call(id, controller, name, { path, method, call, reads: [member, type] }) {
    const inputs = Object.entries(call).map(([input, value]) => `${input}: ${value}`);
    return `export const value${id}: ${type} = (await client.${method}('/${controller}/${name}${path}', { ${inputs.join(', ')} })).${member};`;
  },
  completion: ["client.get('", "');", '/r0/a0'],
};

/** The clients that are compared. The first one is the baseline. */
export const CLIENTS: readonly ClientKind[] = [hono, eden, fairlead];

/** A generated project. */
export interface TypedProject {
  readonly folder: string;
  /** The path of the module with the calls, which imports the module of the server. */
  readonly file: string;
  readonly code: string;
}

/** Generates an API with ten routes per controller, and a module with one call per controller. */
export function generateProject(kind: ClientKind, controllers: number): TypedProject {
  const folder = join(OUTPUT, 'generated', `types-${CLIENTS.indexOf(kind)}-${controllers}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const names = Array.from({ length: controllers }, (_, index) => `r${index}`);
  const routes = Array.from({ length: 10 }, (_, index) => [`a${index}`, routeAt(index)] as const);
  const server = names.map((name) => kind.controller(name, routes));
  const calls = names.map((name, id) => kind.call(id, name, `a${id % 4}`, routeAt(id % 4)));
  const code = `${[kind.client, ...calls].join('\n')}\n`;
  const file = join(folder, 'client.ts');
  writeFileSync(
    join(folder, 'server.ts'),
    [kind.server, SCHEMAS, ...server, kind.end(names)].join('\n'),
  );
  writeFileSync(file, code);
  const compilerOptions = {
    ...{
      strict: true,
      target: 'ES2022',
      module: 'NodeNext',
      lib: ['DOM', 'DOM.Iterable', 'ES2022'],
    },
    ...{ types: ['node'], noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true },
  };
  const config = JSON.stringify({ compilerOptions, files: ['client.ts'] });
  writeFileSync(join(folder, 'tsconfig.json'), config);
  return { folder, file, code };
}

const routeAt = (index: number): Route => CYCLE[index % CYCLE.length] as Route;
