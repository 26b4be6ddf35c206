/** An application of functions, which Node.js runs without a loader. */
export const NOTES = `import { createApp, errorHandler, json, notFoundHandler } from '@fairlead/core';
import { z } from 'zod';

const Note = z.object({ text: z.string() });

function signedIn(ctx: { get(name: string): string | undefined }, next: () => unknown) {
  return next();
}

export function createNotesApp() {
  return createApp()
    .use(errorHandler(), json())
    .get('/notes', { response: Note.array() }, function list() {
      return [{ text: 'Buy milk' }];
    })
    .get('/notes/:id', function find({ params }) {
      return { id: params.id };
    })
    .post('/notes', { body: Note, response: { 201: Note } }, signedIn, function add({ body }) {
      return body;
    })
    .use(notFoundHandler());
}
`;

/** A project with a decorated class that discovery finds. */
export const CATS: Readonly<Record<string, string>> = {
  'src/app.ts': `import { controllersPlugin } from '@fairlead/controllers';
import { createApp, createRouter, json } from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import { SignedIn } from './signed-in.js';

export async function createOfflineApp() {
  const router = createRouter();
  const root = new URL('./controllers/', import.meta.url);
  const container = createContainer();
  const app = createApp().use(json());
  await app.plugin(controllersPlugin({ router, root, container, guards: [SignedIn], strict: true }));
  return app.route('/', router);
}
`,
  'src/signed-in.ts': `import { Service } from '@fairlead/di';

@Service()
export class SignedIn {
  canActivate() {
    return true;
  }
}
`,
  'src/controllers/cats-controller.ts': `import { Body, Controller, Get, Post } from '@fairlead/controllers';
import { schemaClass } from '@fairlead/core';
import { z } from 'zod';

class NewCat extends schemaClass(z.object({ name: z.string() })) {}

@Controller('/cats')
export class CatsController {
  @Get('/:id')
  find() {
    return {};
  }

  @Post('/', { response: { 201: z.object({ name: z.string() }) } })
  add(@Body() cat: NewCat) {
    return cat;
  }
}
`,
};
