import {
  Body,
  Controller,
  Ctx,
  Delete,
  Get,
  Param,
  Post,
  Put,
  UseMiddleware,
} from '@fairlead/controllers';
import type { Context } from '@fairlead/core';
import { Inject } from '@fairlead/di';
import { requireJson } from '../middleware/require-json.js';
import type { Awaitable } from '../users/awaitable.js';
import { readCreateInput, readUpdateInput, USER_LIMITS, type UserLimits } from '../users/input.js';
import { sendList } from '../users/list.js';
import { locationOf } from '../users/location.js';
import { USER_STORE, type UserStore } from '../users/store/user-store.js';
import type { User } from '../users/user.js';
import { requireUser, userNotFound } from '../users/user-not-found.js';
import { showUser } from '../users/view.js';

/** The user API as a class. */
@Controller('/users')
export class UsersController {
  readonly #store: UserStore;
  readonly #limits: UserLimits;

  constructor(@Inject(USER_STORE) store: UserStore, @Inject(USER_LIMITS) limits: UserLimits) {
    this.#store = store;
    this.#limits = limits;
  }

  @Get()
  list(@Ctx() ctx: Context): Awaitable<void> {
    return sendList(ctx, this.#store);
  }

  @Get('/:id')
  async show(@Param('id') id: string, @Ctx() ctx: Context): Promise<void> {
    showUser(ctx, requireUser(await this.#store.find(id), id));
  }

  // The body is optional here so that readCreateInput reports which fields are missing.
  @Post('/', { status: 201 })
  @UseMiddleware(requireJson)
  async create(
    @Body({ required: false }) body: unknown,
    @Ctx() ctx: Context,
  ): Promise<{ data: User }> {
    const user = await this.#store.create(readCreateInput(body, this.#limits));
    ctx.set('Location', locationOf(ctx, user));
    return { data: user };
  }

  @Put('/:id')
  @UseMiddleware(requireJson)
  async update(
    @Param('id') id: string,
    @Body({ required: false }) body: unknown,
  ): Promise<{ data: User }> {
    const user = await this.#store.update(id, readUpdateInput(body, this.#limits));
    return { data: requireUser(user, id) };
  }

  @Delete('/:id')
  async delete(@Param('id') id: string): Promise<{ success: true }> {
    if (!(await this.#store.delete(id))) throw userNotFound(id);
    return { success: true };
  }
}
