import {
  Body,
  Controller,
  Ctx,
  Delete,
  Get,
  Param,
  Post,
  Put,
  Query,
  UseMiddleware,
} from '@fairlead/controllers';
import type { Context } from '@fairlead/core';
import { Inject } from '@fairlead/di';
import { requireJson } from '../middleware/require-json.js';
import { type ListRequest, sendList } from '../users/list.js';
import { locationOf } from '../users/location.js';
import { ListQuery, NewUser, OPERATIONS, Success, UserChanges } from '../users/schemas.js';
import { type Awaitable, USER_STORE, type UserStore } from '../users/store/user-store.js';
import { summarizeIssues } from '../users/summarize-issues.js';
import type { CreateUserInput, UpdateUserInput, User } from '../users/user.js';
import { requireUser, userNotFound } from '../users/user-not-found.js';
import { showUser } from '../users/view.js';

/** The user API as a class. */
@Controller('/users')
export class UsersController {
  readonly #store: UserStore;

  constructor(@Inject(USER_STORE) store: UserStore) {
    this.#store = store;
  }

  @Get('/', { ...OPERATIONS.list, operationId: 'listUsersV1' })
  list(@Query({ schema: ListQuery }) query: ListRequest, @Ctx() ctx: Context): Awaitable<void> {
    return sendList(ctx, this.#store, query);
  }

  @Get('/:id', { ...OPERATIONS.show, operationId: 'showUserV1' })
  async show(@Param('id') id: string, @Ctx() ctx: Context): Promise<void> {
    showUser(ctx, requireUser(await this.#store.find(id), id));
  }

  @Post('/', { ...OPERATIONS.create, operationId: 'createUserV1' })
  @UseMiddleware(requireJson, summarizeIssues)
  async create(
    @Body({ schema: NewUser }) input: CreateUserInput,
    @Ctx() ctx: Context,
  ): Promise<{ data: User }> {
    const user = await this.#store.create(input);
    ctx.set('Location', locationOf(ctx, user));
    return { data: user };
  }

  @Put('/:id', { ...OPERATIONS.update, operationId: 'updateUserV1' })
  @UseMiddleware(requireJson, summarizeIssues)
  async update(
    @Param('id') id: string,
    @Body({ schema: UserChanges }) changes: UpdateUserInput,
  ): Promise<{ data: User }> {
    return { data: requireUser(await this.#store.update(id, changes), id) };
  }

  @Delete('/:id', { ...OPERATIONS.delete, operationId: 'deleteUserV1', response: Success })
  async delete(@Param('id') id: string): Promise<{ success: true }> {
    if (!(await this.#store.delete(id))) throw userNotFound(id);
    return { success: true };
  }
}
