import { once } from 'node:events';
import { request } from 'node:http';
import { Controller, controllersPlugin, Get, UseMiddleware } from '@fairlead/controllers';
import { createApp, createRouter, listen, UnauthorizedError } from '@fairlead/core';
import { createContainer, Service } from '@fairlead/di';
import { expect, it, onTestFinished } from 'vitest';
import { connect } from '../src/index.js';

const show = connect((req, res, next) => {
  res.setHeader('X-Seen', `${Reflect.get(req, 'baseUrl')} ${req.url}`);
  next();
});

@Service()
class Show {
  readonly use = show;
}

@Controller('/files')
@UseMiddleware(show)
class FunctionController {
  @Get('/*path')
  find() {
    return 'found';
  }
}

@Service({ scope: 'request' })
@Controller('/files')
@UseMiddleware(show)
class ScopedController {
  @Get('/*path')
  find() {
    return 'found';
  }
}

@Controller('/files')
@UseMiddleware(Show)
class ClassController {
  @Get('/*path')
  find() {
    return 'found';
  }
}

@Controller('/files')
@UseMiddleware('show')
class TokenController {
  @Get('/*path')
  find() {
    return 'found';
  }
}

it.each([
  ['a function', FunctionController],
  ['a function before request-scoped instances', ScopedController],
  ['a property of a class', ClassController],
  ['the value of a token', TokenController],
])('removes the prefix and checks the path as %s of @UseMiddleware()', async (_, controller) => {
  const container = createContainer();
  container.register('show', { useValue: show });
  const router = createRouter();
  const app = createApp()
    .use('/v1/files/private', () => {
      throw new UnauthorizedError('Sign in.');
    })
    .route('/v1', router);
  await app.plugin(controllersPlugin({ router, controllers: [controller], container }));
  const server = await listen(app, 0, { host: '127.0.0.1' });
  onTestFinished(() => server.close({ timeout: 0 }));
  const send = async (path: string): Promise<unknown> => {
    const { port } = new URL(server.url);
    const [response] = await once(request({ port, path, agent: false }).end(), 'response');
    response.resume();
    return [response.statusCode, response.headers['x-seen']];
  };
  expect(await send('/v1/files/a/b?c')).toEqual([200, '/v1 /files/a/b?c']);
  expect(await send('/v1/files/private/a')).toEqual([401, undefined]);
  expect(await send('/v1/files/PRIVATE/a')).toEqual([401, undefined]);
  expect(await send('/v1/files//private/a')).toEqual([400, undefined]);
  expect(await send('/v1/files/x%2f..%2fprivate/a')).toEqual([400, undefined]);
});
