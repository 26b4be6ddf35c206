import { describe, expect, it } from 'vitest';
import {
  All,
  applyDecorators,
  Body,
  Controller,
  Ctx,
  createCustomParamDecorator,
  createRouteMetadata,
  Delete,
  Get,
  Head,
  Header,
  HttpCode,
  Options,
  Param,
  Patch,
  Post,
  Put,
  Query,
  Redirect,
  Req,
  Res,
  SetHeader,
  SkipInheritedGuards,
  SkipInheritedInterceptors,
  SkipInheritedMiddleware,
  UseGuard,
  UseInterceptor,
  UseMiddleware,
} from '../src/index.js';
import { message } from './support/message.js';

const Agent = createCustomParamDecorator(function Agent() {});
const Roles = createRouteMetadata<string>('Roles');

/** Every decorator of the package, and the kinds of declaration that it could decorate. */
const decorators: readonly (readonly [string, unknown, 'class' | 'method'])[] = [
  ['Controller', Controller(), 'class'],
  ['applyDecorators', applyDecorators(Controller()), 'class'],
  ['applyDecorators', applyDecorators(Get()), 'method'],
  ...Object.entries({ All, Delete, Get, Head, Options, Patch, Post, Put }).map(
    ([name, make]) => [name, make(), 'method'] as const,
  ),
  ...Object.entries({ Ctx, Req, Res }).map(([name, make]) => [name, make(), 'method'] as const),
  ['Body', Body(), 'method'],
  ['Header', Header('name'), 'method'],
  ['Param', Param('name'), 'method'],
  ['Query', Query(), 'method'],
  ['Agent', Agent, 'method'],
  ['Agent', Agent(), 'method'],
  ...Object.entries({
    SkipInheritedGuards,
    SkipInheritedInterceptors,
    SkipInheritedMiddleware,
  }).map(([name, make]) => [name, make(), 'method'] as const),
  ['HttpCode', HttpCode(200), 'method'],
  ['Redirect', Redirect('/'), 'method'],
  ['SetHeader', SetHeader('X-Text', 'a'), 'method'],
  ...(['class', 'method'] as const).flatMap((kind) => [
    ['Roles', Roles('admin'), kind] as const,
    ['UseGuard', UseGuard(() => true), kind] as const,
    ['UseInterceptor', UseInterceptor((_, next) => next()), kind] as const,
    ['UseMiddleware', UseMiddleware((_, next) => next()), kind] as const,
  ]),
];

describe('a decorator that was compiled as a standard one', () => {
  it.each(decorators)('throws: @%s', (name, decorator, kind) => {
    const decorate = decorator as (value: unknown, context: object) => void;
    expect(() => decorate(class {}, { kind, name: 'read', metadata: {} })).toThrow(
      expect.objectContaining({
        name: 'ControllerError',
        code: 'STANDARD_DECORATOR',
        message: message(
          `@${name}() was compiled as a standard decorator, but it is an experimental one.`,
          'Fix: set experimentalDecorators and emitDecoratorMetadata to true in tsconfig.json.',
        ),
      }),
    );
  });
});
