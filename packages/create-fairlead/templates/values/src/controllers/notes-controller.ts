import { defineController } from '@fairlead/controllers';
import { z } from 'zod';
import { ApiKeyGuard } from '../api-key.ts';
import { NewNote, Note, Notes } from '../notes.ts';

const params = z.object({ id: z.coerce.number().int().positive() });
const guards = [ApiKeyGuard];
const open = { public: 'Everyone may read the notes.' };

export const notesController = defineController('/notes', {
  inject: { notes: Notes },
  routes: ({ get, post, delete: del }) => ({
    list: get('/', { ...open, response: z.array(Note) }, (_ctx, { notes }) => notes.list()),

    show: get('/:id', { ...open, params, response: Note }, (ctx, { notes }) =>
      notes.find(ctx.params.id),
    ),

    create: post(
      '/',
      { body: NewNote, response: Note, status: 201, guards },
      ({ body }, { notes }) => notes.create(body),
    ),

    delete: del('/:id', { params, status: 204, guards }, (ctx, { notes }) =>
      notes.delete(ctx.params.id),
    ),
  }),
});
