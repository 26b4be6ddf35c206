import 'reflect-metadata';
import { Readable } from 'node:stream';
import {
  type ArgumentsHost,
  Body,
  Catch,
  Controller,
  Delete,
  type ExceptionFilter,
  Get,
  Header,
  Headers,
  HttpCode,
  HttpException,
  Inject,
  Injectable,
  Module,
  type OnApplicationShutdown,
  Param,
  Post,
  Put,
  Query,
  Res,
  StandardSchemaValidationPipe,
  StreamableFile,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication, RouteSchema } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { closeOnSignal, logger, observe, registry, SERVER_OPTIONS } from './observe.js';
import { openStore } from './open-store.js';
import {
  describeProblem,
  HttpProblem,
  PROBLEM_TYPE,
  preconditionFailed,
  userNotFound,
} from './problem.js';
import { ONE_RESPONSE, PAGE_RESPONSE } from './response-schemas.js';
import { BATCH, type UserStore } from './store.js';
import {
  etagOf,
  isFresh,
  isMatch,
  LIMITS,
  readPagination,
  renderUser,
  sliceOf,
  toStorable,
  type User,
  writeList,
} from './user.js';

const name = z.string().max(LIMITS.name).overwrite(toStorable);
const email = z.string().max(LIMITS.email).overwrite(toStorable);
const NewUserSchema = z.object({ name: name.min(1), email: email.min(1) });
const UserChangesSchema = z.object({ name, email }).partial();

const STORE = Symbol('UserStore');

/** Finds and changes users, or throws what clients are told. */
@Injectable()
class UsersService implements OnApplicationShutdown {
  constructor(@Inject(STORE) private readonly store: UserStore) {}

  async list(query: { readonly page?: unknown; readonly limit?: unknown }) {
    const pagination = readPagination(query);
    if (pagination === undefined) {
      const all = this.store.list({ offset: 0, limit: Number.MAX_SAFE_INTEGER });
      return toStream(writeList(all, (total) => ({ total })));
    }
    const slice = sliceOf(pagination);
    const first = { ...slice, limit: Math.min(slice.limit, BATCH) };
    const { users, total } = await this.store.page(first);
    const meta = { total, ...pagination };
    if (users.length >= Math.min(slice.limit, total - slice.offset)) return { data: users, meta };
    return toStream(writeList(this.store.list(slice), () => ({ meta })));
  }

  async find(id: string): Promise<User> {
    const user = await this.store.find(id);
    if (user === undefined) throw userNotFound(id);
    return user;
  }

  async create(input: z.infer<typeof NewUserSchema>): Promise<User> {
    return this.store.create(input);
  }

  async update(id: string, changes: z.infer<typeof UserChangesSchema>, match?: string) {
    const expected = await this.#expect(id, match);
    const user = await this.store.update(id, changes, expected);
    if (user === undefined) throw expected ? preconditionFailed() : userNotFound(id);
    return user;
  }

  async delete(id: string, match?: string): Promise<void> {
    const expected = await this.#expect(id, match);
    if (await this.store.delete(id, expected)) return;
    throw expected ? preconditionFailed() : userNotFound(id);
  }

  async check(): Promise<void> {
    try {
      await this.store.check();
    } catch (error) {
      logger.error({ err: error }, 'the store is not responding');
      throw new HttpProblem(503, 'STORE_UNAVAILABLE', 'The store is not responding.');
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.store.close();
  }

  /** Returns the user that `If-Match` names, or `undefined` without that header. */
  async #expect(id: string, match: string | undefined): Promise<User | undefined> {
    if (match === undefined) return undefined;
    const user = await this.find(id);
    if (!isMatch(match, etagOf(user))) throw preconditionFailed();
    return user;
  }
}

@Controller('api/users')
class UsersController {
  constructor(private readonly users: UsersService) {}

  @Get()
  @RouteSchema({ response: { 200: PAGE_RESPONSE } })
  list(@Query() query: { readonly page?: unknown; readonly limit?: unknown }) {
    return this.users.list(query);
  }

  @Get(':id')
  @RouteSchema({ response: { 200: ONE_RESPONSE } })
  async show(
    @Param('id') id: string,
    @Headers('accept') accept: string | undefined,
    @Headers('if-none-match') match: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const user = await this.users.find(id);
    const isHtml = accept?.toLowerCase().includes('text/html');
    const etag = etagOf(user, isHtml);
    reply.header('ETag', etag).header('Vary', 'Accept');
    if (isFresh(match, etag)) {
      reply.code(304);
      return undefined;
    }
    if (!isHtml) return { data: user };
    reply.type('text/html; charset=utf-8');
    return renderUser(user);
  }

  @Post()
  @RouteSchema({ response: { 201: ONE_RESPONSE } })
  async create(
    @Body({ schema: NewUserSchema }) input: z.infer<typeof NewUserSchema>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const user = await this.users.create(input);
    reply.header('Location', `/api/users/${user.id}`).header('ETag', etagOf(user));
    return { data: user };
  }

  @Put(':id')
  @RouteSchema({ response: { 200: ONE_RESPONSE } })
  async update(
    @Param('id') id: string,
    @Body({ schema: UserChangesSchema }) changes: z.infer<typeof UserChangesSchema>,
    @Headers('if-match') match: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const user = await this.users.update(id, changes, match);
    reply.header('ETag', etagOf(user));
    return { data: user };
  }

  @Delete(':id')
  @HttpCode(204)
  delete(@Param('id') id: string, @Headers('if-match') match: string | undefined) {
    return this.users.delete(id, match);
  }
}

@Controller()
class OperationController {
  constructor(private readonly users: UsersService) {}

  @Get('health/live')
  @Header('Cache-Control', 'no-store')
  live() {
    return { status: 'live' };
  }

  @Get('health/ready')
  @Header('Cache-Control', 'no-store')
  async ready() {
    await this.users.check();
    return { status: 'ready' };
  }

  @Get('metrics')
  @Header('Content-Type', registry.contentType)
  @Header('Cache-Control', 'no-store')
  metrics() {
    return registry.metrics();
  }
}

/** Responds with problem details. */
@Catch()
class ProblemFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const problem = toProblem(error);
    if (problem.statusCode >= 500) {
      logger.error({ err: error, requestId: request.id }, 'request failed');
    }
    // A text is sent as it is, and not by a schema.
    http
      .getResponse<FastifyReply>()
      .code(problem.statusCode)
      .type(PROBLEM_TYPE)
      .send(JSON.stringify(describeProblem(problem, request.url)));
  }
}

@Module({
  controllers: [UsersController, OperationController],
  providers: [
    UsersService,
    { provide: STORE, useFactory: () => openStore(process.env.DATABASE_URL ?? 'memory:') },
  ],
})
class AppModule {}

const adapter = new FastifyAdapter(SERVER_OPTIONS);
observe(adapter.getInstance());
adapter.getInstance().removeContentTypeParser('text/plain');
const app = await NestFactory.create<NestFastifyApplication>(AppModule, adapter, { logger: false });
app.useGlobalPipes(new StandardSchemaValidationPipe({ exceptionFactory: toValidationProblem }));
app.useGlobalFilters(new ProblemFilter());
closeOnSignal(() => app.close());
await app.listen(Number(process.env.PORT ?? 8080), process.env.HOST ?? '0.0.0.0');

function toStream(chunks: AsyncIterable<string>): StreamableFile {
  return new StreamableFile(Readable.from(chunks, { objectMode: false, highWaterMark: 65_536 }), {
    type: 'application/json; charset=utf-8',
  });
}

function toValidationProblem(
  issues: readonly { readonly message: string; readonly path?: unknown }[],
): HttpProblem {
  const found = issues.map(({ message, path = [] }) => ({
    ...{ source: 'body', path: ['body', ...(path as string[])], message },
  }));
  const text = found.map(({ path, message }) => `${path.join('/')} ${message}`).join(', ');
  return new HttpProblem(400, 'VALIDATION_FAILED', text, found);
}

function toProblem(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  // Fastify's errors, such as that of a body which is too large, and Nest's.
  const { statusCode, code = 'HTTP_ERROR', message } = error as Partial<HttpProblem>;
  const status = error instanceof HttpException ? error.getStatus() : (statusCode ?? 500);
  return new HttpProblem(status, code, message ?? '');
}
