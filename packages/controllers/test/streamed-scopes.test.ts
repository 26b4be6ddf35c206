import { request, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { Service } from '@fairlead/di';
import { expect, it } from 'vitest';
import { Controller, Get, Res, UseMiddleware } from '../src/index.js';
import { serve } from './support/serve.js';
import { signal } from './support/signal.js';

it('a request scope lives until the stream of its response has ended', async () => {
  const steps: string[] = [];
  const firstRowRead = signal();

  @Service({ scope: 'request' })
  class Cursor implements Disposable {
    async *rows() {
      yield 'first row, ';
      await firstRowRead.given;
      steps.push('last row');
      yield 'last row';
    }

    [Symbol.dispose]() {
      steps.push('disposed');
    }
  }

  @Controller()
  @Service({ scope: 'request' })
  class ExportController {
    constructor(private readonly cursor: Cursor) {}

    @Get()
    read() {
      return Readable.from(this.cursor.rows());
    }
  }

  const { fetch } = await serve({ controllers: [ExportController] });
  const { body } = await fetch('/');
  const rows = body?.pipeThrough(new TextDecoderStream()).values();
  expect(await rows?.next()).toMatchObject({ value: 'first row, ' });
  firstRowRead.give();
  expect(await rows?.next()).toMatchObject({ value: 'last row' });
  expect(await rows?.next()).toMatchObject({ done: true });
  await expect.poll(() => steps).toEqual(['last row', 'disposed']);
});

it('a request scope lives until a response that its method writes itself has ended', async () => {
  const steps: string[] = [];
  const responses: ServerResponse[] = [];

  @Service({ scope: 'request' })
  class Cursor implements Disposable {
    [Symbol.dispose]() {
      steps.push('disposed');
    }
  }

  @Controller()
  @Service({ scope: 'request' })
  class ExportController {
    constructor(readonly cursor: Cursor) {}

    @Get()
    read(@Res() res: ServerResponse) {
      res.write('first row, ');
      responses.push(res);
    }
  }

  const { fetch } = await serve({ controllers: [ExportController] });
  const { body } = await fetch('/');
  const rows = body?.pipeThrough(new TextDecoderStream()).values();
  expect(await rows?.next()).toMatchObject({ value: 'first row, ' });
  expect(steps).toEqual([]);
  responses[0]?.end('last row');
  expect(await rows?.next()).toMatchObject({ value: 'last row' });
  await expect.poll(() => steps).toEqual(['disposed']);
});

it('the scope of a request lives until its method has ended, when the client has left before', async () => {
  const steps: string[] = [];
  const [entered, left, ended] = [signal(), signal(), signal()];

  @Service({ scope: 'request' })
  class Transaction implements Disposable {
    [Symbol.dispose]() {
      steps.push('disposed');
      ended.give();
    }
  }

  @Controller()
  @Service({ scope: 'request' })
  class TransferController {
    constructor(readonly transaction: Transaction) {}

    @Get()
    @UseMiddleware((ctx, next) => {
      ctx.res.once('close', () => left.give());
      return next();
    })
    async transfer() {
      entered.give();
      await left.given;
      // Whatever ends with the connection has had its turn after this.
      await new Promise(setImmediate);
      steps.push('method ended');
    }
  }

  const { url } = await serve({ controllers: [TransferController] });
  const outgoing = request(url).on('error', () => {});
  outgoing.end();
  await entered.given;
  outgoing.destroy();
  await ended.given;
  expect(steps).toEqual(['method ended', 'disposed']);
});
