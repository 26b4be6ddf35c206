import { controllersPlugin } from '@fairlead/controllers';
import { createContainer } from '@fairlead/di';
import { serveRouter } from '../src/applications.js';
import { discover } from '../src/files.js';
import { area } from '../src/mistake.js';

const mistake = area('Discovery');

const users = `
  @Controller('/users')
  export class Users {
    @Get() list() { return []; }
  }
`;
const orders = users.replace('/users', '/orders').replace('Users', 'Orders');

mistake(
  'neither `root` nor `controllers`',
  { warning: 'root' },
  () => serveRouter((router) => controllersPlugin({ router, container: createContainer() })),
  '/users',
);

mistake(
  'a controller that its file does not export',
  { warning: 'export' },
  () => discover({ 'orders.ts': orders, 'users.ts': users.replace('export ', '') }),
  '/users',
);

mistake(
  'a controller exported as an instance',
  { warning: 'export' },
  () =>
    discover({
      'orders.ts': orders,
      'users.ts': `${users.replace('export ', '')} export const users = new Users();`,
    }),
  '/users',
);

mistake(
  'a controller exported in an object',
  { warning: 'export' },
  () =>
    discover({
      'orders.ts': orders,
      'users.ts': `${users.replace('export ', '')} export default { Users };`,
    }),
  '/users',
);

mistake(
  'a class with routes, without `@Controller()`',
  { warning: '@Controller()' },
  () => discover({ 'orders.ts': orders, 'users.ts': users.replace("@Controller('/users')", '') }),
  '/users',
);

mistake(
  'an exported subclass without `@Controller()`',
  { warning: '@Controller()' },
  () => discover({ 'users.ts': `${users} export class Members extends Users {}` }),
  '/members',
);

mistake(
  'an eager service that its file does not export',
  { warning: 'its file does not export it, and no container registers it' },
  () => discover({ 'users.ts': users, 'worker.ts': '@Service({ eager: true }) class Worker {}' }),
  '/users',
);

mistake(
  'a missing `root`',
  { warning: 'existing directory' },
  () => discover({ 'users.ts': users }, { root: 'controller' }),
  '/users',
);

mistake(
  'a missing `root`, with `strict: true`',
  { startup: 'existing directory' },
  () => discover({ 'users.ts': users }, { root: 'controller', strict: true }),
  '/users',
);

mistake(
  'a file as `root`',
  { warning: 'directory' },
  () => discover({ 'users.ts': users }, { root: 'users.ts' }),
  '/users',
);

mistake(
  '`root: import.meta.url`',
  { warning: 'directory' },
  () =>
    serveRouter((router) =>
      controllersPlugin({ router, container: createContainer(), root: import.meta.url }),
    ),
  '/users',
);

mistake(
  'a list of directories as `root`',
  { compiler: 'string[]', startup: /root/ },
  () =>
    serveRouter((router) =>
      controllersPlugin({ router, container: createContainer(), root: ['src/controllers'] }),
    ),
  '/users',
);

mistake(
  'an empty directory',
  { warning: 'no controllers found' },
  () => discover({ 'readme.md': '' }),
  '/users',
);

mistake(
  '`include` that matches no file',
  { warning: 'no controllers found' },
  () => discover({ 'users.ts': users }, { include: ['**/*.controller.ts'] }),
  '/users',
);

mistake(
  '`include` relative to the working directory',
  { warning: 'no controllers found' },
  () => discover({ 'users.ts': users }, { include: ['./src/**/*.ts'] }),
  '/users',
);

mistake(
  '`exclude` that matches every file',
  { warning: 'no controllers found' },
  () => discover({ 'users.ts': users }, { exclude: ['**'] }),
  '/users',
);

mistake(
  'a controller in a `.tsx` file',
  { warning: 'no controllers found' },
  () => discover({ 'users.tsx': users }),
  '/users',
);

mistake(
  'a file that throws',
  { warning: 'no database' },
  () => discover({ 'orders.ts': orders, 'users.ts': `${users} throw new Error('no database');` }),
  '/users',
);

mistake(
  'a file that throws, with `strict: true`',
  { startup: 'no database' },
  () => discover({ 'users.ts': `${users} throw new Error('no database');` }, { strict: true }),
  '/users',
);

mistake(
  'a file that imports a missing package',
  { warning: 'no-such-package' },
  () => discover({ 'orders.ts': orders, 'users.ts': `import 'no-such-package'; ${users}` }),
  '/orders',
);

mistake(
  'a stale file, which imports a deleted one',
  { warning: /stale|delete|build/ },
  () => discover({ 'orders.js': '', 'users.js': "import './deleted.js'; export {};" }),
  '/users',
);

mistake(
  'a JavaScript file with a syntax error',
  { warning: /^(?![\s\S]*decorators)[\s\S]*users/ },
  () => discover({ 'users.js': '"use strict"; const = 1;' }),
  '/users',
);

mistake(
  'a TypeScript file with a syntax error',
  { warning: /^(?![\s\S]*decorators)[\s\S]*users/ },
  () => discover({ 'orders.ts': orders, 'users.ts': 'export class {' }),
  '/users',
);

mistake(
  'a CommonJS file in an ES module package',
  { warning: /CommonJS|ES module/ },
  () => discover({ 'users.js': '"use strict"; exports.Users = class {};' }),
  '/users',
);

mistake(
  'a file whose `await` never settles',
  { startup: 'Make any other top-level await settle' },
  () => discover({ 'users.ts': `${users} await new Promise(() => {});` }),
  '/users',
);

mistake(
  '`@UseGuard()` without a guard in a file, with `strict: false`',
  { startup: 'at least one guard' },
  () =>
    discover({ 'orders.ts': orders, 'users.ts': users.replace('@Get()', '@Get() @UseGuard()') }),
  '/users',
);

mistake(
  '`@Get()` on a static method in a file, with `strict: false`',
  { startup: 'static' },
  () => discover({ 'orders.ts': orders, 'users.ts': users.replace('@Get()', '@Get() static') }),
  '/users',
);

mistake(
  '`@Get` without parentheses in a file, with `strict: false`',
  { startup: '@Get()' },
  () => discover({ 'orders.ts': orders, 'users.ts': users.replace('@Get()', '@Get') }),
  '/users',
);

mistake(
  '`@Service` without parentheses in a file, with `strict: false`',
  { startup: '@Service()' },
  () => discover({ 'users.ts': `@Service export class Names {} ${users}` }),
  '/users',
);

mistake(
  'decorators compiled without `experimentalDecorators`, with `strict: false`',
  { startup: 'experimentalDecorators' },
  () =>
    discover({
      'orders.ts': orders,
      'users.ts': `export class Users {}; Controller('/users')(Users, { kind: 'class', name: 'Users' });`,
    }),
  '/users',
);

mistake(
  'a class that is imported with `import type`',
  { startup: 'import type' },
  () =>
    discover({
      'names.ts': '@Service() export class Names {}',
      'users.ts': `import { Controller, Get } from '@fairlead/controllers';
      import type { Names } from './names.js';
      @Controller('/users')
      export class Users {
        constructor(readonly names: Names) {}
        @Get() list() { return []; }
      }`,
    }),
  '/users',
);

mistake(
  'two services in files that import each other',
  { warning: 'lazy' },
  () =>
    discover({
      'author.ts': `import { Service } from '@fairlead/di';
      import { Book } from './book.js';
      @Service() export class Author { constructor(readonly book: Book) {} }`,
      'book.ts': `import { Service } from '@fairlead/di';
      import { Author } from './author.js';
      @Service() export class Book { constructor(readonly author: Author) {} }`,
      'users.ts': `import { Controller, Get } from '@fairlead/controllers';
      import { Book } from './book.js';
      @Controller('/users')
      export class Users {
        constructor(readonly book: Book) {}
        @Get() list() { return []; }
      }`,
    }),
  '/users',
);

mistake(
  'one route in two files',
  { startup: '/users' },
  () => discover({ 'members.ts': users.replace('Users', 'Members'), 'users.ts': users }),
  '/users',
);
