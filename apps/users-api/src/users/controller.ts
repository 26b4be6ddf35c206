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
import { etag } from '@fairlead/middleware';
import { changeUser } from './change-user.js';
import { findUser } from './find-user.js';
import { ListQuery, NewUser, OPERATIONS, Success, UserChanges } from './schemas.js';
import { USER_STORE, type UserStore } from './store/user-store.js';
import type { CreateUserInput, UpdateUserInput, User } from './user.js';
import { type ListRequest, sendList, showUser, toCreated, toEnvelope } from './view.js';

/** The user API as a class. */
@Controller('/users')
export class UsersController {
  readonly #store: UserStore;

  constructor(@Inject(USER_STORE) store: UserStore) {
    this.#store = store;
  }

  @Get('/', { ...OPERATIONS.list, operationId: 'listUsersV1' })
  list(@Query({ schema: ListQuery }) query: ListRequest, @Ctx() ctx: Context): Promise<void> {
    return sendList(ctx, this.#store, query);
  }

  @Get('/:id', { ...OPERATIONS.show, operationId: 'showUserV1' })
  @UseMiddleware(etag())
  async show(@Param('id') id: string, @Ctx() ctx: Context): Promise<void> {
    showUser(ctx, await findUser(this.#store, id));
  }

  @Post('/', { ...OPERATIONS.create, operationId: 'createUserV1' })
  async create(
    @Body({ schema: NewUser }) input: CreateUserInput,
    @Ctx() ctx: Context,
  ): Promise<{ data: User }> {
    return toCreated(ctx, await this.#store.create(input));
  }

  @Put('/:id', { ...OPERATIONS.update, operationId: 'updateUserV1' })
  async update(
    @Param('id') id: string,
    @Body({ schema: UserChanges }) changes: UpdateUserInput,
    @Ctx() ctx: Context,
  ): Promise<{ data: User }> {
    const update = (expected?: User) => this.#store.update(id, changes, expected);
    return toEnvelope(ctx, await changeUser(ctx, this.#store, id, update));
  }

  @Delete('/:id', { ...OPERATIONS.delete, operationId: 'deleteUserV1', response: Success })
  async delete(@Param('id') id: string, @Ctx() ctx: Context): Promise<{ success: true }> {
    await changeUser(ctx, this.#store, id, (expected) => this.#store.delete(id, expected));
    return { success: true };
  }
}
