import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { Controller, Get, Redirect, Res, SetHeader } from '@fairlead/controllers';
import { createApp, HttpError, NotFoundError } from '@fairlead/core';
import { requireMatch } from '@fairlead/middleware';
import { createTestApp } from '@fairlead/testing';
import { z } from 'zod';
import { serveControllers } from '../src/applications.js';
import { area } from '../src/mistake.js';

const mistake = area('Handlers and responses');

const returning = (value: unknown) => createApp().get('/', () => value);

mistake('a handler that returns nothing', { request: 'Return a value' }, () =>
  returning(undefined),
);

mistake('a method that returns nothing, by mistake', { never: 'undefined is a 204.' }, () => {
  @Controller()
  class Users {
    @Get()
    list() {
      [].map(String);
    }
  }
  return serveControllers([Users]);
});

mistake('`z.date()` in a response', { request: 'describe the text of dates' }, () => {
  const response = z.object({ at: z.date() });
  return createApp({ checkResponses: true }).get('/', { response }, () => ({ at: new Date() }));
});

mistake('a Map as the response', { request: 'Object.fromEntries()' }, () =>
  returning(new Map([['a', 1]])),
);
mistake('a Set as the response', { request: 'Set' }, () => returning(new Set([1])));
mistake('a BigInt as the response', { request: 'BigInt' }, () => returning({ id: 1n }));
mistake('a circular object as the response', { request: 'circular' }, () => {
  const user: { self?: unknown } = {};
  user.self = user;
  return returning(user);
});
mistake('a function as the response', { request: 'Call it' }, () => returning(() => 1));
mistake('a symbol as the response', { request: 'symbol' }, () => returning(Symbol('a')));
mistake('a class as the response', { request: /[Cc]lass|Call it/ }, () => returning(NotFoundError));
mistake('a promise inside of the response', { request: /[Aa]wait/ }, () =>
  returning({ user: Promise.resolve(1) }),
);
mistake('an error returned instead of thrown', { request: /[Tt]hrow/ }, () =>
  returning(new NotFoundError('No user')),
);
mistake('an error created and not thrown', { request: 'Return a value' }, () =>
  createApp().get('/', () => {
    new NotFoundError('No user');
  }),
);
mistake('`{ statusCode, body }`, as in AWS Lambda', { never: 'It is a JSON value.' }, () =>
  returning({ statusCode: 404, body: 'No user' }),
);
mistake('`[value, 404]`, as in Flask', { never: 'It is a JSON value.' }, () =>
  returning([{}, 404]),
);
mistake('NaN in the response', { never: 'JSON writes null.' }, () =>
  returning({ page: Number.NaN }),
);
mistake('undefined for a user who does not exist', { never: 'undefined is a 204.' }, () => {
  const users: { id: string }[] = [];
  @Controller()
  class Users {
    @Get()
    find() {
      return users.find(({ id }) => id === '7');
    }
  }
  return serveControllers([Users]);
});

mistake('`ctx.status = 42`', { request: 'from 200 to 599' }, () =>
  createApp().get('/', (ctx) => {
    ctx.status = 42;
    return 1;
  }),
);

mistake("`ctx.status = '404'`", { compiler: "'string'", request: 'from 200 to 599' }, () =>
  createApp().get('/', (ctx) => {
    ctx.status = '404';
    return 1;
  }),
);

mistake(
  '`ctx.status(404)`, as in Express',
  { compiler: 'TS2349', request: 'status is not a function' },
  () => createApp().get('/', (ctx) => ctx.status(404).json({})),
);

mistake('a header with a line break', { request: 'X-Name' }, () =>
  createApp().get('/', (ctx) => {
    ctx.set('X-Name', 'Ada\r\nSet-Cookie: a=b');
    return 1;
  }),
);

mistake('a header with `undefined`', { compiler: "'undefined'", request: 'X-Name' }, () =>
  createApp().get('/', (ctx) => {
    ctx.set('X-Name', process.env.NO_SUCH_NAME);
    return 1;
  }),
);

mistake(
  "`ctx.set({ 'X-Name': 'Ada' })`, as in Express",
  { compiler: 'arguments', request: /name|token/ },
  () =>
    createApp().get('/', (ctx) => {
      ctx.set({ 'X-Name': 'Ada' });
      return 1;
    }),
);

mistake(
  "`ctx.redirect(301, '/new')`, as in Express",
  { compiler: "'number'", request: 'redirect' },
  () =>
    createApp().get('/', (ctx) => {
      ctx.redirect(301, '/new');
    }),
);

mistake("`ctx.redirect('/new', 200)`", { request: '300 to 399' }, () =>
  createApp().get('/', (ctx) => {
    ctx.redirect('/new', 200);
  }),
);

mistake('`ctx.send({ … })` of an object', { compiler: 'TS2353', request: 'ctx.json' }, () =>
  createApp().get('/', (ctx) => {
    ctx.send({ name: 'Ada' });
  }),
);

mistake('text returned as CSV', { request: 'Pass the text to ctx.send()' }, () =>
  createApp().get('/', (ctx) => {
    ctx.set('Content-Type', 'text/csv');
    return 'id\n1\n';
  }),
);

mistake('text returned as HTML by a method', { request: 'Pass the text to ctx.send()' }, () => {
  @Controller()
  class Pages {
    @Get()
    @SetHeader('Content-Type', 'text/html')
    home() {
      return '<h1>Hello</h1>';
    }
  }
  return serveControllers([Pages]);
});

mistake('an object returned as XML', { request: "Content-Type is 'application/xml'" }, () =>
  createApp().get('/', (ctx) => {
    ctx.set('Content-Type', 'application/xml');
    return { id: 1 };
  }),
);

mistake('the tag of `requireMatch()` without quotes', { request: 'in double quotes' }, () =>
  createApp().get('/', (ctx) => {
    requireMatch(ctx, '1');
    return 1;
  }),
);

mistake(
  'the version of a row as the tag of `requireMatch()`',
  { compiler: "'number'", request: 'received 1 instead of an entity tag' },
  () =>
    createApp().get('/', (ctx) => {
      requireMatch(ctx, 1);
      return 1;
    }),
);

mistake('`new HttpError(200)`', { request: 'from 400 to 599' }, () =>
  createApp().get('/', () => {
    throw new HttpError(200, 'fine');
  }),
);

mistake(
  "`new HttpError('No user', 404)`, the arguments swapped",
  { compiler: "'string'", request: 'from 400 to 599' },
  () =>
    createApp().get('/', () => {
      throw new HttpError('No user', 404);
    }),
);

mistake('`new NotFoundError({ message })`', { compiler: "'string'", response: 'object' }, () =>
  createApp().get('/', () => {
    throw new NotFoundError({ message: 'No user' });
  }),
);

mistake('a text thrown', { request: 'No user' }, () =>
  createApp().get('/', () => {
    throw 'No user';
  }),
);

mistake('`throw { status: 404 }`', { request: '404' }, () =>
  createApp().get('/', () => {
    throw { status: 404 };
  }),
);

mistake('a stream that fails', { request: 'no disk' }, () =>
  createApp().get(
    '/',
    () =>
      new Readable({
        read() {
          this.destroy(new Error('no disk'));
        },
      }),
  ),
);

mistake('a handler that never settles', { never: 'It may be waiting.' }, () =>
  createApp().get('/', () => new Promise(() => undefined)),
);

mistake(
  '`@Res()` and a response that is never ended',
  { never: 'The method may end it later.' },
  () => {
    @Controller()
    class Users {
      @Get()
      list(@Res() res: ServerResponse) {
        res.setHeader('X-Name', 'Ada');
      }
    }
    return serveControllers([Users]);
  },
);

mistake("`@Redirect('/users/:id')` of a method that returns no `id`", { request: "':id'" }, () => {
  @Controller()
  class Users {
    @Get()
    @Redirect('/users/:id')
    list() {
      return {};
    }
  }
  return serveControllers([Users]);
});

mistake("`@Redirect('/a\\r\\nb')`", { startup: 'percent-encode' }, () => {
  @Controller()
  class Users {
    @Get()
    @Redirect('/a\r\nb')
    list() {}
  }
  return serveControllers([Users]);
});

const named = { type: 'object', properties: { name: { type: 'string' } } };

mistake(
  'a method that returns more than its `response` schema describes, in a test',
  { request: 'passwordHash: the schema does not describe it' },
  () => {
    @Controller()
    class Users {
      @Get('/', { response: named })
      list() {
        return { name: 'Ada', passwordHash: '…' };
      }
    }
    return createTestApp({ controllers: [Users] });
  },
);

mistake(
  'a method that returns nothing for a `response` schema',
  { request: 'its response schema requires one' },
  () => {
    @Controller()
    class Users {
      @Get('/', { response: named })
      list() {}
    }
    return serveControllers([Users]);
  },
);

mistake(
  'a `response` schema that cannot become JSON Schema',
  { warning: 'Transforms cannot be represented in JSON Schema' },
  () => {
    const response = z.string().transform((name) => ({ name }));
    return createApp().get('/', { response }, () => ({ name: 'Ada' }));
  },
);

mistake('a `response` schema that does not compile', { startup: 'GET /users' }, () => {
  const compileResponse = (schema: { type?: string }) => {
    throw new Error(`unknown type ${schema.type}`);
  };
  return createApp({ compileResponse }).get('/users', { response: { type: 'strng' } }, () => ({}));
});
