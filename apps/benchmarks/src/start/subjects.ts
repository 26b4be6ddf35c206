import type { Subject } from './generate.js';

/** The same controller for every framework, but for what it imports and the name of one decorator. */
const controller =
  (imports: string, service: string, marks = '', end = (_index: number) => '') =>
  (index: number) =>
    `
  ${imports}

  @${service}()
  export class Service${index} {
    find(id: string) {
      return { id, controller: ${index} };
    }
  }

  ${marks}
  @Controller('/c${index}')
  export class Controller${index} {
    constructor(private readonly service: Service${index}) {}

    @Get('/:id')
    find(@Param('id') id: string) {
      return this.service.find(id);
    }
  }
  ${end(index)}
`;

const fairlead: Subject = {
  name: 'Fairlead, discovered',
  controller: controller(
    `import { Controller, Get, Param } from '@fairlead/controllers';
    import { Service } from '@fairlead/di';`,
    'Service',
  ),
  main: () => `
    import { controllersPlugin } from '@fairlead/controllers';
    import { createApp, createRouter, errorHandler, json, listen, notFoundHandler } from '@fairlead/core';

    const router = createRouter();
    const app = createApp().use(errorHandler(), json());
    await app.plugin(controllersPlugin({ router, root: new URL('./controllers/', import.meta.url), strict: true }));
    await listen(app.route('/', router).use(notFoundHandler()), 0, { host: '127.0.0.1' });
  `,
};

/** The statements that import all controllers. */
function importsOf(count: number, ...names: readonly string[]): string {
  const line = (index: number) => {
    const classes = names.map((name) => `${name}${index}`).join(', ');
    return `import { ${classes} } from './controllers/controller-${index}.js';`;
  };
  return [...Array(count).keys()].map(line).join('\n');
}

const listOf = (name: string, count: number) =>
  [...Array(count).keys()].map((index) => `${name}${index}`).join(', ');

/** A module of its own for each controller with what it needs, as Nest's documentation has it. */
const featureModule = (index: number): string => `
  @Module({ controllers: [Controller${index}], providers: [Service${index}] })
  export class Module${index} {}
`;

const nest = (name: string, adapter: string): Subject => ({
  name,
  controller: controller(
    `import { Controller, Get, Injectable, Module, Param } from '@nestjs/common';`,
    'Injectable',
    '',
    featureModule,
  ),
  main: (count) =>
    nestMain(importsOf(count, 'Module'), `imports: [${listOf('Module', count)}]`, adapter),
});

const nestInOneModule = (name: string, adapter: string): Subject => ({
  name,
  controller: controller(
    `import { Controller, Get, Injectable, Param } from '@nestjs/common';`,
    'Injectable',
  ),
  main: (count) =>
    nestMain(
      importsOf(count, 'Controller', 'Service'),
      `controllers: [${listOf('Controller', count)}], providers: [${listOf('Service', count)}]`,
      adapter,
    ),
});

const nestMain = (imports: string, contents: string, adapter: string): string => `
    import 'reflect-metadata';
    import { Module } from '@nestjs/common';
    import { NestFactory } from '@nestjs/core';
    ${imports}

    @Module({ ${contents} })
    class AppModule {}

    ${adapter}
    await app.listen(0, '127.0.0.1');
  `;

const NEST_ON_EXPRESS = 'const app = await NestFactory.create(AppModule, { logger: false });';

const routingControllers: Subject = {
  name: 'routing-controllers',
  controller: controller(
    `import { Get, JsonController as Controller, Param } from 'routing-controllers';
    import { Service } from 'typedi';`,
    'Service',
    '@Service()',
  ),
  main: (count) => `
    import 'reflect-metadata';
    import { createExpressServer, useContainer } from 'routing-controllers';
    import { Container } from 'typedi';
    ${importsOf(count, 'Controller')}

    useContainer(Container);
    createExpressServer({ controllers: [${listOf('Controller', count)}] }).listen(0, '127.0.0.1');
  `,
};

/** Everything that is started, Fairlead first. */
export const SUBJECTS: readonly Subject[] = [
  fairlead,
  nest('Nest on Express', NEST_ON_EXPRESS),
  nestInOneModule('Nest on Express, one module', NEST_ON_EXPRESS),
  nest(
    'Nest on Fastify',
    `const { FastifyAdapter } = await import('@nestjs/platform-fastify');
    const app = await NestFactory.create(AppModule, new FastifyAdapter(), { logger: false });`,
  ),
  routingControllers,
];
