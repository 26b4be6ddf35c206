import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Controller, controllersPlugin, Get } from '@fairlead/controllers';
import { type Application, createApp, createRouter, errorHandler } from '@fairlead/core';
import { createContainer, token } from '@fairlead/di';
import { createTestApp } from '@fairlead/testing';
import { serveRouter } from '../applications.js';
import { discover, writeFiles } from '../files.js';
import { legal, silence, warned } from './program.js';

const users = (prefix = '/users') => `
@Controller('${prefix}')
export class Users {
  @Get()
  list() {
    return '${prefix}';
  }
}`;

legal(
  'a discovered file with an unexported controller that registers itself',
  '200 "own"',
  async () => {
    const files = {
      'users.ts': users(),
      'own.ts': `import { Controller, Get, registerController } from '@fairlead/controllers';
import { createRouter } from '@fairlead/core';
import { createContainer } from '@fairlead/di';

@Controller('/own')
class Own {
  @Get()
  read() {
    return 'own';
  }
}

export const router = createRouter();
registerController(router, Own, { container: createContainer() });
`,
    };
    const directory = await writeFiles({
      ...files,
      'users.ts': `import { Controller, Get } from '@fairlead/controllers';\n${users()}`,
    });
    const own = await import(pathToFileURL(join(directory, 'own.ts')).href);
    const app = await serveRouter((router) =>
      controllersPlugin({ router, container: createContainer(), root: directory }),
    );
    return createApp()
      .route('/', own.router)
      .use(async (ctx) => ctx.respond(await app.request(ctx.path)));
  },
  '/own',
);

legal(
  'a discovered file with helpers, types and constants only',
  '200 "/users"',
  () =>
    discover({
      'users.ts': users(),
      'helpers.ts':
        'export const limit = 10;\nexport type Id = string;\nexport default function noop() {}\n',
    }),
  '/users',
);

legal(
  'a controller that an index file exports again, under two names',
  '200 "/users"',
  () =>
    discover({
      'users.ts': users(),
      'index.ts':
        "export { Users, Users as Members } from './users.ts';\nexport { Users as default } from './users.ts';\n",
    }),
  '/users',
);

legal(
  'a controller as the default export',
  '200 "default"',
  () =>
    discover({
      'users.ts': `
@Controller('/users')
export default class {
  @Get()
  list() {
    return 'default';
  }
}`,
    }),
  '/users',
);

legal(
  'an abstract base class among the discovered files',
  '200 "/users"',
  () =>
    discover({
      'base.ts': `
export abstract class Base {
  abstract readonly path: string;
  @Get()
  list() {
    return this.path;
  }
}`,
      'users.ts': `import { Controller } from '@fairlead/controllers';
import { Base } from './base.ts';
@Controller('/users')
export class Users extends Base {
  readonly path = '/users';
}`,
    }),
  '/users',
);

legal(
  'controllers in a directory that is a symbolic link',
  '200 "/users"',
  async () => {
    const directory = await writeFiles({
      'real/users.ts': `import { Controller, Get } from '@fairlead/controllers';\n${users()}`,
    });
    await symlink(join(directory, 'real'), join(directory, 'linked'));
    return serveRouter((router) =>
      controllersPlugin({ router, container: createContainer(), root: join(directory, 'linked') }),
    );
  },
  '/users',
);

legal(
  'two roots, with a plugin for each',
  '200 "/b"',
  async () => {
    const imports = "import { Controller, Get } from '@fairlead/controllers';\n";
    const directory = await writeFiles({
      'a/users.ts': imports + users('/a'),
      'b/users.ts': imports + users('/b'),
    });
    const router = createRouter();
    const container = createContainer();
    const app = createApp().use(errorHandler());
    for (const name of ['a', 'b']) {
      await app.plugin(controllersPlugin({ router, container, root: join(directory, name) }));
    }
    return app.route('/', router);
  },
  '/b',
);

legal(
  'files that only the globs of include select',
  '200 "/users"',
  () =>
    discover(
      { 'users.controller.ts': users(), 'script.ts': "throw new Error('never imported');" },
      { include: ['**/*.controller.ts'] },
    ),
  '/users',
);

legal(
  'a discovered file that creates an application of its own',
  '200 "/users"',
  () =>
    discover({
      'users.ts': users(),
      'preview.ts': `import { createApp } from '@fairlead/core';
export const preview = createApp().get('/', () => 'preview');
`,
    }),
  '/users',
);

legal(
  'a discovered file with asynchronous setup at its top level',
  '200 "/late"',
  () =>
    discover({
      'late.ts': `
const path = await new Promise((resolve) => setImmediate(resolve, '/late'));
@Controller('/late')
export class Late {
  @Get()
  read() {
    return path;
  }
}`,
    }),
  '/late',
);

@Controller('/one')
class One {
  @Get()
  read() {
    return 'one';
  }
}

legal(
  'two test applications of one controller at once',
  '200 "one"',
  async () => {
    const [first, second] = await Promise.all([
      createTestApp({ controllers: [One] }),
      createTestApp({ controllers: [One] }),
    ]);
    await first.close();
    return second;
  },
  '/one',
);

legal(
  'a test application of middleware alone',
  '200 "before"',
  () => createTestApp({ controllers: [One], before: [(ctx) => ctx.json('before')] }),
  '/anything',
);

legal('a test of an application that is created once for all tests', '200 "shared"', () => {
  let shared: Application | undefined;
  return createTestApp({
    app: () => {
      shared ??= createApp().get('/', () => 'shared');
      return shared;
    },
  });
});

legal('a test that overrides a token with a class, a proxy and nothing else', '200 "fake"', () => {
  const Names = token<{ read(): string }>('Names');
  return createTestApp({
    app: (container) => {
      container.register(Names, { useFactory: () => ({ read: () => 'real' }) });
      return createApp().get('/', () => container.resolve(Names).read());
    },
    overrides: [[Names, { useValue: new Proxy({ read: () => 'fake' }, {}) }]],
  });
});

const mark = (isSilenced: boolean) =>
  isSilenced
    ? "import { intended } from '@fairlead/core';\n"
    : 'const intended = <T>(target: T) => target;\n';
const DECORATORS = "import { Controller, Get } from '@fairlead/controllers';\n";

warned(
  'an unexported controller that a function of its file registers later',
  'its file does not export it',
  '200 "/users"',
  (isSilenced) =>
    discover({
      'users.ts': users(),
      'late.ts': `${DECORATORS}import { registerController } from '@fairlead/controllers';
${mark(isSilenced)}
@intended
@Controller('/late')
class Late {
  @Get()
  read() {
    return 'late';
  }
}
export const register = (router: never) => registerController(router, Late);
`,
    }),
  '/users',
);

warned(
  'a base class with routes whose controllers are in another directory',
  'Base has route decorators',
  '200 "/users"',
  (isSilenced) =>
    discover({
      'users.ts': users(),
      'base.ts': `${DECORATORS}${mark(isSilenced)}
@intended
export class Base {
  @Get()
  list() {
    return [];
  }
}
`,
    }),
  '/users',
);

warned('a directory without controllers', 'no controllers found', '404', async (isSilenced) => {
  const root = await writeFiles({ 'helpers.ts': 'export const limit = 10;\n' });
  return serveRouter((router) =>
    controllersPlugin(silence(isSilenced, { router, container: createContainer(), root })),
  );
});
