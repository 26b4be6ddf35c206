import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile, OUTPUT } from '../compile.js';

/** A framework that can serve any number of generated controllers. */
export interface Framework {
  readonly name: string;
  /** Returns the source of a controller with a service and a route. */
  controller(index: number): string;
  /** Returns the source of a program that serves the controllers on a free port. */
  main(count: number): string;
}

/**
 * Generates a program with some controllers, compiled with decorator metadata.
 *
 * @returns The file to run. Its route `/c<index>/<id>` responds with `{ id, controller: index }`.
 */
export function generate(framework: Framework, count: number): string {
  const folder = join(OUTPUT, 'generated', `${framework.name.replaceAll(/\W+/g, '-')}-${count}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'controllers'), { recursive: true });
  for (const index of Array(count).keys()) {
    const code = compile(framework.controller(index));
    writeFileSync(join(folder, 'controllers', `controller-${index}.js`), code);
  }
  const main = join(folder, 'main.js');
  writeFileSync(main, compile(framework.main(count)));
  return main;
}

/** The same controller for every framework, except for its imports and decorators. */
const controller =
  (imports: string, service: string, decorators = '', end = (_index: number) => '') =>
  (index: number) =>
    `
  ${imports}

  @${service}()
  export class Service${index} {
    find(id: string) {
      return { id, controller: ${index} };
    }
  }

  ${decorators}
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

/** Returns `Name0, Name1, …`. */
const listOf = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name}${index}`).join(', ');

/** Returns the statements that import classes from all controllers' files. */
function importsOf(count: number, ...names: readonly string[]): string {
  const line = (index: number) => {
    const classes = names.map((name) => `${name}${index}`).join(', ');
    return `import { ${classes} } from './controllers/controller-${index}.js';`;
  };
  return Array.from({ length: count }, (_, index) => line(index)).join('\n');
}

const fairlead: Framework = {
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

/** The same controllers as values. */
const fairleadValues: Framework = {
  ...fairlead,
  name: 'Fairlead, values, discovered',
  controller: (index) => `
    import { defineController } from '@fairlead/controllers';
    import { Service } from '@fairlead/di';

    @Service()
    export class Service${index} {
      find(id: string) {
        return { id, controller: ${index} };
      }
    }

    export const controller${index} = defineController('/c${index}', {
      inject: { service: Service${index} },
      routes: ({ get }) => ({
        find: get('/:id', ({ params }, { service }) => service.find(params.id)),
      }),
    });
  `,
};

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

/** Nest with a module for each controller, as its documentation recommends. */
const nest = (name: string, adapter: string): Framework => ({
  name,
  controller: controller(
    `import { Controller, Get, Injectable, Param, Module } from '@nestjs/common';`,
    'Injectable',
    '',
    (index) => `
      @Module({ controllers: [Controller${index}], providers: [Service${index}] })
      export class Module${index} {}
    `,
  ),
  main: (count) =>
    nestMain(importsOf(count, 'Module'), `imports: [${listOf('Module', count)}]`, adapter),
});

const nestInOneModule = (name: string, adapter: string): Framework => ({
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

const NEST_ON_EXPRESS = 'const app = await NestFactory.create(AppModule, { logger: false });';

const routingControllers: Framework = {
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

/** All frameworks, Fairlead first. */
export const FRAMEWORKS: readonly Framework[] = [
  fairlead,
  fairleadValues,
  nest('Nest on Express', NEST_ON_EXPRESS),
  nestInOneModule('Nest on Express, one module', NEST_ON_EXPRESS),
  nest(
    'Nest on Fastify',
    `const { FastifyAdapter } = await import('@nestjs/platform-fastify');
    const app = await NestFactory.create(AppModule, new FastifyAdapter(), { logger: false });`,
  ),
  routingControllers,
];
