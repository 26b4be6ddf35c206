import type { Subject } from './generate.js';

/** The same controller for every framework, but for what it imports and the name of one decorator. */
const controller = (imports: string, service: string) => (index: number) =>
  `
  ${imports}

  @${service}()
  export class Service${index} {
    find(id: string) {
      return { id, controller: ${index} };
    }
  }

  @Controller('/c${index}')
  export class Controller${index} {
    constructor(private readonly service: Service${index}) {}

    @Get('/:id')
    find(@Param('id') id: string) {
      return this.service.find(id);
    }
  }
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
    const server = await listen(app.route('/', router).use(notFoundHandler()), 0, { host: '127.0.0.1' });
    console.log(server.port);
  `,
};

const nest = (name: string, adapter: string): Subject => ({
  name,
  controller: controller(
    `import { Controller, Get, Injectable, Param } from '@nestjs/common';`,
    'Injectable',
  ),
  main: (count) => {
    const indexes = [...Array(count).keys()];
    const imports = indexes.map(
      (index) =>
        `import { Controller${index}, Service${index} } from './controllers/controller-${index}.js';`,
    );
    return `
      import 'reflect-metadata';
      import { Module } from '@nestjs/common';
      import { NestFactory } from '@nestjs/core';
      ${imports.join('\n')}

      @Module({
        controllers: [${indexes.map((index) => `Controller${index}`)}],
        providers: [${indexes.map((index) => `Service${index}`)}],
      })
      class AppModule {}

      ${adapter}
      await app.listen(0, '127.0.0.1');
      console.log(app.getHttpServer().address().port);
    `;
  },
});

/** Everything that is started, Fairlead first. */
export const SUBJECTS: readonly Subject[] = [
  fairlead,
  nest('Nest on Express', 'const app = await NestFactory.create(AppModule, { logger: false });'),
  nest(
    'Nest on Fastify',
    `const { FastifyAdapter } = await import('@nestjs/platform-fastify');
    const app = await NestFactory.create(AppModule, new FastifyAdapter(), { logger: false });`,
  ),
];
