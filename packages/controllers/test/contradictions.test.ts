import { content, createRouter, intended } from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  Controller,
  defineController,
  Get,
  HttpCode,
  Param,
  Post,
  Query,
  registerController,
  SetHeader,
} from '../src/index.js';

const User = z.object({ id: z.string() });

/** Registers a controller, and returns the warnings without their locations. */
function warningsOf(controller: new (...args: never[]) => object): readonly string[] {
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message.replace(/\n {2}At: .*/, ''));
  registerController(createRouter(), controller, { container: createContainer(), warn });
  return warnings;
}

describe('a default that the schema of its parameter rejects', () => {
  it('is an error', () => {
    @Controller('/users')
    class Users {
      @Get()
      list(@Query('page', { default: 1, schema: z.string() }) page: string): string {
        return page;
      }
    }
    expect(() => warningsOf(Users)).toThrow(
      /^Cannot register the route Users\.list: the default of the query parameter 'page' is 1, which its schema rejects\.\n {2}At: .+\n {2}Fix: change the default or the schema\. The default passes through the schema\.$/,
    );
  });

  it('is none if its structure accepts it, or does not tell', () => {
    @Controller('/users')
    class Users {
      @Get()
      list(
        @Query('page', { default: 1, schema: z.coerce.number() }) page: number,
        @Query('size', { default: '1', schema: z.string().transform(Number) }) size: number,
        @Query('order', { default: 'id', schema: z.enum(['id', 'name']) }) order: string,
      ): unknown {
        return [page, size, order];
      }
    }
    expect(warningsOf(Users)).toEqual([]);
  });
});

describe('a default of a path parameter', () => {
  it('causes a warning if every path has the parameter, unless the class is intended', () => {
    @Controller('/reports')
    class Reports {
      @Get('/:year')
      @Get('/of/:year/:month')
      read(@Param('year', { default: '2026' }) year: string): unknown {
        return year;
      }
    }
    expect(warningsOf(Reports)).toEqual([
      "the default of parameter 0 of Reports.read never applies, because every path of the route has ':year'.\n  Fix: make the parameter optional, as in '/:year?', or remove the default. If a subclass has other paths, pass the class to intended().",
    ]);
    expect(warningsOf(intended(Reports))).toEqual([]);
  });

  it('causes none if a path may lack it', () => {
    @Controller('/reports')
    class Reports {
      @Get('/:year?')
      read(@Param('year', { default: '2026' }) year: string): unknown {
        return year;
      }
      @Get('/pages')
      @Get('/pages/:page')
      list(@Param('page', { default: '1' }) page: string): unknown {
        return page;
      }
      @Get('/files/*rest')
      find(@Param('rest', { default: 'index' }) rest: string): unknown {
        return rest;
      }
      @Get('/:years/longer')
      other(@Param('year', { default: '2026', required: false }) year: string): unknown {
        return year;
      }
    }
    expect(warningsOf(Reports)).toEqual([]);
  });
});

describe('two statuses of one method', () => {
  it('cause a warning, unless the class is intended', () => {
    @Controller('/users')
    class Users {
      @Post('/', { status: 201 })
      @HttpCode(200)
      add(): string {
        return 'ada';
      }
    }
    expect(warningsOf(Users)).toEqual([
      'the route Users.add has the status 201, but @HttpCode(200) sets another one.\n  Fix: keep one of the two, or pass the controller to intended().',
    ]);
    expect(warningsOf(intended(Users))).toEqual([]);
  });

  it('cause none if they are the same, or a subclass sets another one', () => {
    class Base {
      @Post('/', { status: 201 })
      @HttpCode(201)
      add(): string {
        return 'ada';
      }
    }
    @Controller('/users')
    class Users extends Base {
      @HttpCode(202)
      override add(): string {
        return 'ada';
      }
    }
    expect(warningsOf(Users)).toEqual([]);
  });
});

describe('a Content-Type of @SetHeader() that is not the one of the response', () => {
  it('causes a warning', () => {
    @Controller('/users')
    class Users {
      @Get('/', { response: z.array(User) })
      @SetHeader('Content-Type', 'text/csv')
      list(): { id: string }[] {
        return [];
      }
    }
    expect(warningsOf(Users)).toEqual([
      "Users.list has @SetHeader('Content-Type', 'text/csv'), but its response describes JSON, so each value that it returns is a 500.\n  Fix: describe the response with content('text/csv') and pass the text to ctx.send(), or remove the header. If it is right, pass the controller to intended().",
    ]);
  });

  it('causes one for a value', () => {
    const users = defineController('/users', {
      routes: ({ get }) => ({
        list: get(
          '/',
          { response: User, metadata: [SetHeader('Content-Type', 'text/csv')] },
          () => ({ id: '1' }),
        ),
      }),
    });
    expect(warningsOf(users)).toEqual([
      expect.stringContaining("users.list has SetHeader('Content-Type', 'text/csv'), but"),
    ]);
  });

  it('causes none for JSON, without a schema, and with content()', () => {
    @Controller('/users')
    class Users {
      @Get('/json', { response: User })
      @SetHeader('Content-Type', 'application/hal+json; charset=utf-8')
      json(): { id: string } {
        return { id: '1' };
      }

      @Get('/plain')
      @SetHeader('Content-Type', 'text/csv')
      plain(): void {}

      @Get('/csv', { response: content('text/csv') })
      @SetHeader('Content-Type', 'text/csv')
      csv(): void {}

      @Get('/error', { response: { 404: User } })
      @SetHeader('Content-Type', 'text/csv')
      error(): void {}
    }
    expect(warningsOf(Users)).toEqual([]);
  });
});
