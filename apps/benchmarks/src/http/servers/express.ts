import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import * as fixtures from '../fixtures.js';

const serve = (app: Express) => app.disable('x-powered-by').listen(0, '127.0.0.1');

const guard: RequestHandler = (req, res, next) => {
  if (req.headers.authorization === fixtures.AUTHORIZATION) next();
  else res.status(403).json({ error: 'Access denied' });
};

const hop: RequestHandler = async (_req, res, next) => {
  fixtures.countHop(res.locals);
  next();
};

const hopSync: RequestHandler = (_req, res, next) => {
  fixtures.countHop(res.locals);
  next();
};

const withMiddleware = (middleware: RequestHandler) =>
  express()
    .use(...Array<RequestHandler>(10).fill(middleware))
    .get('/', (_req, res) => res.json({ hops: res.locals.hops }));

const items = new fixtures.Items();

export const start = {
  plaintext: () => serve(express().get('/', (_req, res) => res.type('text').send(fixtures.HELLO))),
  json: () => serve(express().get('/', (_req, res) => res.json({ message: fixtures.HELLO }))),
  param: () => {
    const app = express().get('/', (_req, res) => res.json({}));
    for (const name of fixtures.RESOURCES) {
      for (const [method, path] of fixtures.RESOURCE_ROUTES) {
        app[method](`/${name}${path}`, (req: Request<{ id?: string }>, res: Response) => {
          res.json({ id: req.params.id });
        });
      }
    }
    return serve(app);
  },
  post: () =>
    serve(
      express()
        .use(express.json())
        .post('/orders', (req, res) => res.json(req.body)),
    ),
  'async-10': () => serve(withMiddleware(hop)),
  'sync-10': () => serve(withMiddleware(hopSync)),
  page: () =>
    serve(
      express().get('/users', (req, res) => {
        res.json(fixtures.pageOfUsers(`${req.query.page}`, `${req.query.limit}`));
      }),
    ),
  'class-get': () =>
    serve(
      express().get('/items/:id', guard, (req, res) => res.json(items.find(`${req.params.id}`))),
    ),
  'class-post': () =>
    serve(
      express()
        .use(express.json())
        .post('/items', guard, (req, res) => res.json(items.create(req.body))),
    ),
};
