import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { HttpError, isHttpError, type Middleware } from '@fairlead/core';
import { errorsOf } from '@fairlead/test-support/errors-page';
import { describe, expect, it } from 'vitest';
import * as controllers from '../src/index.js';
import {
  Body,
  Controller,
  ControllerError,
  ControllerResolutionError,
  createCustomParamDecorator,
  DiscoveryError,
  Get,
  GuardRejectionError,
  Header,
  MissingParameterError,
  NoRoutesError,
  NotAControllerError,
  ParameterInjectionError,
  Post,
  Query,
  RouteRegistrationError,
  StartError,
  UseGuard,
} from '../src/index.js';
import { schema } from './support/schema.js';
import { serve } from './support/serve.js';

const packageRoot = new URL('../', import.meta.url);

const codesIn = (text: string, pattern: RegExp) =>
  [...new Set([...text.matchAll(pattern)].map(([, code]) => code))].sort();

const target = { parameter: 'body', handler: 'A.b' };
const cause = new Error('cause');
const diagnostic = { problem: 'it is wrong.', fix: 'correct it.' };
const errors: readonly (readonly [ControllerError, number, string])[] = [
  [new ControllerError('text'), 500, 'CONTROLLER_ERROR'],
  [new ControllerResolutionError('the controller A', cause), 500, 'CONTROLLER_RESOLUTION'],
  [new DiscoveryError('/a.ts', diagnostic), 500, 'DISCOVERY_FAILED'],
  [new GuardRejectionError('admin'), 403, 'GUARD_REJECTED'],
  [new MissingParameterError(target, []), 400, 'MISSING_PARAMETER'],
  [new NoRoutesError('A'), 500, 'NO_ROUTES'],
  [new NotAControllerError('A'), 500, 'NOT_A_CONTROLLER'],
  [new ParameterInjectionError(target, cause), 400, 'PARAMETER_INJECTION'],
  [new RouteRegistrationError('A.b', diagnostic), 500, 'ROUTE_REGISTRATION'],
  [new StartError([cause, cause]), 500, 'START_FAILED'],
];

describe('every error', () => {
  it.each(errors)('%s has its status and code', (error, status, code) => {
    expect(error).toBeInstanceOf(ControllerError);
    expect(error).toBeInstanceOf(HttpError);
    expect(error).toSatisfy(isHttpError);
    expect(error).toMatchObject({ status, code, expose: status < 500 });
    expect(error.name).toBe(error.constructor.name);
  });

  it('is in docs/errors.md, in this order, with its code and status', () => {
    const listed = [
      ...errorsOf('controllers').matchAll(/^\| `(\w+Error)` +\| `(\w+)` +\| (\d+) +\|/gm),
    ];
    expect(listed.map((row) => row.slice(1))).toEqual(
      errors.map(([error, status, code]) => [error.name, code, String(status)]),
    );
  });

  it('has a code in docs/errors.md, which lists no other codes', async () => {
    const sources = globSync('src/**/!(*.test).ts', { cwd: packageRoot });
    const texts = await Promise.all(
      sources.map((file) => readFile(new URL(file, packageRoot), 'utf8')),
    );
    expect(codesIn(errorsOf('controllers'), /`([A-Z]+(?:_[A-Z]+)+)`/g)).toEqual(
      codesIn(texts.join('\n'), /(?:code: |code = )'([A-Z]+(?:_[A-Z]+)+)'/g),
    );
  });

  it('that is exported is in the list', () => {
    const exported = Object.keys(controllers).filter((name) => name.endsWith('Error'));
    expect(errors.map(([{ name }]) => name).sort()).toEqual(exported.sort());
  });

  it('about a parameter names the parameter, the method and the problem', () => {
    const issues = [{ source: 'body', path: ['body', 'name'], message: 'is required' }];
    expect(new MissingParameterError(target, issues)).toMatchObject({
      ...target,
      issues,
      details: { issues },
    });
    expect(new ParameterInjectionError(target, cause)).toMatchObject({ ...target, cause });
  });

  it('keeps its cause', () => {
    expect(new ControllerResolutionError('the controller A', cause).cause).toBe(cause);
    expect(new RouteRegistrationError('A.b', { ...diagnostic, cause }).cause).toBe(cause);
    expect(new DiscoveryError('/a.ts', { ...diagnostic, cause }).cause).toBe(cause);
  });
});

@Controller()
class FailingController {
  @Get('/denied')
  @UseGuard(function admin() {
    return false;
  })
  denied() {}

  @Post('/missing')
  missing(@Body('name') name: string) {
    return { name };
  }

  @Get('/unknown')
  unknown() {
    throw new TypeError('unknown');
  }
}

/** The documented global handler: responds to known errors, and rethrows the others. */
const globalHandler: Middleware = async (ctx, next) => {
  try {
    await next();
  } catch (error) {
    if (error instanceof GuardRejectionError) {
      ctx.status = error.status;
      ctx.json({ error: 'Access denied', guard: error.guardName });
    } else if (error instanceof MissingParameterError) {
      ctx.status = error.status;
      ctx.json({ error: error.message });
    } else throw error;
  }
};

describe('a global handler', () => {
  it('may catch errors by their class and rethrow unknown ones', async () => {
    const { fetch, post } = await serve({ controllers: [FailingController] }, [globalHandler]);
    const denied = await fetch('/denied');
    expect(denied.status).toBe(403);
    expect(await denied.json()).toEqual({ error: 'Access denied', guard: 'admin' });
    const missing = await post('/missing', {});
    expect(missing.status).toBe(400);
    expect(await missing.json()).toEqual({
      error: "The body field 'name' is required.",
    });
    expect((await fetch('/unknown')).status).toBe(500);
  });
});

const InternalValue = createCustomParamDecorator(function extractInternally() {
  return undefined;
});

function convertInternally(): never {
  throw new Error('internal cause');
}

const internalSchema = schema<never>(() => ({
  issues: [{ message: 'is wrong', path: ['key'] }],
}));

@Controller('/api')
class InternalController {
  @Get('/guard')
  @UseGuard(function admin() {
    return false;
  })
  guardInternally() {}

  @Get('/nameless')
  @UseGuard(() => false)
  namelessInternally() {}

  @Post('/missing/body')
  bodyInternally(@Body() internalBody: object) {
    return internalBody;
  }

  @Post('/missing/field')
  fieldInternally(@Body('name') internalName: string) {
    return internalName;
  }

  @Get('/missing/query')
  queryInternally(@Query('page', { required: true }) internalPage: string) {
    return internalPage;
  }

  @Get('/missing/header')
  headerInternally(@Header('x-tenant', { required: true }) internalTenant: string) {
    return internalTenant;
  }

  @Get('/missing/custom')
  customInternally(@InternalValue({ required: true }) internalValue: undefined) {
    return internalValue;
  }

  @Get('/transform')
  transformInternally(@Query('page', { transform: convertInternally }) internalPage: never) {
    return internalPage;
  }

  @Get('/schema')
  schemaInternally(@Query('page', { transform: internalSchema }) internalPage: never) {
    return internalPage;
  }
}

describe('the body of a 400 or 403', () => {
  it.each([
    ['GET', '/guard', 403, 'Access denied by admin.'],
    ['GET', '/nameless', 403, 'Access denied by guard#0.'],
    ['POST', '/missing/body', 400, 'The body is required.'],
    ['POST', '/missing/field', 400, "The body field 'name' is required."],
    ['GET', '/missing/query', 400, "The query parameter 'page' is required."],
    ['GET', '/missing/header', 400, "The header 'x-tenant' is required."],
    ['GET', '/missing/custom', 400, 'The custom parameter is required.'],
    ['GET', '/transform?page=1', 400, "The query parameter 'page' could not be read."],
    ['GET', '/schema?page=1', 400, 'The query is not valid.'],
  ])('names only the guard of the server: %s %s', async (method, path, status, detail) => {
    const { fetch } = await serve({ controllers: [InternalController] });
    const response = await fetch(`/api${path}`, { method });
    expect(response.status).toBe(status);
    const text = await response.text();
    expect(text).not.toMatch(/internal/i);
    expect(JSON.parse(text)).toMatchObject({ detail: expect.stringContaining(detail) });
  });
});
