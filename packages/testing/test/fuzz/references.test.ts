import { type Application, ConflictError, createApp, NotFoundError } from '@fairlead/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { FuzzError, type FuzzOptions, fuzz } from '../../src/fuzz.js';
import { createTestApp } from '../../src/index.js';

const failuresOf = async (app: Application, options: FuzzOptions = {}) => {
  const error: unknown = await fuzz(app, { seed: 1, runs: 10, ...options }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof FuzzError) return error.report.failures;
  throw error ?? new Error('There are no failures.');
};

/** A resource at a path, whose POST creates it. */
class Table {
  readonly rows = new Map<string, object>();
  #next = 100_000;

  add(row: object): { readonly id: string } {
    const added = { ...row, id: String(this.#next++) };
    this.rows.set(added.id, added);
    return added;
  }

  get(id: string): object {
    const row = this.rows.get(id);
    if (row === undefined) throw new NotFoundError(`There is no ${id}.`);
    return row;
  }
}

describe('a value that must be unique does not hide', () => {
  /** Users with one email address each, some of whose faults show only after several of them. */
  function createUsers(plant: 'stays' | 'fails when deleted'): Application {
    const users = new Table();
    const params = z.object({ id: z.string() });
    return createApp({ onError: () => {} })
      .post(
        '/users',
        { body: z.object({ email: z.email() }), status: 201, errors: [409] },
        (ctx) => {
          const isTaken = [...users.rows.values()].some(
            (one) => 'email' in one && one.email === ctx.body.email,
          );
          if (isTaken) throw new ConflictError('The address is taken.');
          return users.add(ctx.body);
        },
      )
      .get('/users/:id', { params }, (ctx) => users.get(ctx.params.id))
      .delete('/users/:id', { params, status: 204 }, (ctx) => {
        users.get(ctx.params.id);
        if (plant === 'fails when deleted') throw new Error('planted');
      });
  }

  it.each([1, 2, 3])('that DELETE deletes nothing, with the seed %i', async (seed) => {
    const failures = await failuresOf(createUsers('stays'), { seed });
    expect(failures.map(({ rule, route }) => [rule, route])).toEqual([
      ['not-deleted', 'GET /users/:id'],
    ]);
  });

  it('what the DELETE itself does', async () => {
    const failures = await failuresOf(createUsers('fails when deleted'), {
      routes: ['DELETE /users/:id'],
    });
    expect(failures.map(({ rule }) => rule)).toEqual(['server-error']);
  });
});

/** Invoices of customers. Those whose customer exists fail. */
function createInvoices(
  body: z.ZodObject,
  idOf: (body: Record<string, unknown>) => unknown,
  seen: boolean[] = [],
): Application {
  const customers = new Table();
  return createApp({ onError: () => {} })
    .post('/customers', { body: z.object({ name: z.string() }), status: 201 }, (ctx) =>
      customers.add(ctx.body),
    )
    .get('/customers/:id', (ctx) => customers.get(ctx.params.id))
    .post('/invoices', { body, status: 201, errors: [409] }, (ctx) => {
      const isKnown = customers.rows.has(String(idOf(ctx.body)));
      seen.push(isKnown);
      if (!isKnown) throw new ConflictError('There is no such customer.');
      throw new Error('planted');
    });
}

describe('requests name what was created', () => {
  const id = z.string();
  it.each<readonly [string, z.ZodObject, (body: Record<string, unknown>) => unknown]>([
    ['customerId', z.object({ customerId: id }), (body) => body.customerId],
    ['customer_id', z.object({ customer_id: id }), (body) => body.customer_id],
    ['billingCustomerID', z.object({ billingCustomerID: id }), (body) => body.billingCustomerID],
    ['a number', z.object({ customerId: z.int() }), (body) => body.customerId],
    [
      'an element of a list',
      z.object({ customerIds: z.array(id).min(1) }),
      (body) => [body.customerIds].flat()[0],
    ],
    [
      'the id of a member',
      z.object({ customer: z.object({ id }) }),
      (body) => Object(body.customer).id,
    ],
    [
      'a member of an element',
      z.object({ lines: z.array(z.object({ customerId: id })).min(1) }),
      (body) => Object([body.lines].flat()[0]).customerId,
    ],
  ])('as %s', async (_, body, idOf) => {
    const seen: boolean[] = [];
    const [failure, ...others] = await failuresOf(createInvoices(body, idOf, seen), {
      routes: ['POST /invoices'],
    });
    expect([failure?.rule, failure?.route, others]).toEqual(['server-error', 'POST /invoices', []]);
    // An unknown one is sent, too.
    expect(new Set(seen)).toEqual(new Set([true, false]));
    // The test fails for the same reason in another application.
    const run = new Function('it', 'createTestApp', 'createMyApp', 'expect', failure?.test ?? '');
    let outcome: Promise<void> = Promise.resolve();
    const register = (_title: string, test: () => Promise<void>) => {
      outcome = test();
    };
    run(register, createTestApp, () => createInvoices(body, idOf), expect);
    await expect(outcome).rejects.toThrow(/expected 500 to be less than 500/);
  });

  it('as a parameter of the query', async () => {
    const customers = new Table();
    const app = createApp({ onError: () => {} })
      .post('/customers', { body: z.object({ name: z.string() }), status: 201 }, (ctx) =>
        customers.add(ctx.body),
      )
      .get('/customers/:id', (ctx) => customers.get(ctx.params.id))
      .get('/invoices', { query: z.object({ customerId: z.string().optional() }) }, ({ query }) => {
        if (customers.rows.has(query.customerId ?? '')) throw new Error('planted');
        return [];
      });
    const [failure] = await failuresOf(app, { routes: ['GET /invoices'] });
    expect(failure?.rule).toBe('server-error');
    expect(failure?.test).toMatch(/app\.request\(`\/invoices\?customerId=\$\{customerId\}`\)/);
  });

  it('as what names the next one', async () => {
    const [customers, invoices, payments] = [new Table(), new Table(), new Table()];
    const app = createApp({ onError: () => {} })
      .post('/customers', { body: z.object({ name: z.string() }), status: 201 }, (ctx) =>
        customers.add(ctx.body),
      )
      .get('/customers/:id', (ctx) => customers.get(ctx.params.id))
      .post('/invoices', { body: z.object({ customerId: z.string() }), status: 201 }, (ctx) => {
        customers.get(ctx.body.customerId);
        return invoices.add(ctx.body);
      })
      .get('/invoices/:id', (ctx) => invoices.get(ctx.params.id))
      .post('/payments', { body: z.object({ invoiceId: z.string() }), status: 201 }, (ctx) => {
        invoices.get(ctx.body.invoiceId);
        return payments.add(ctx.body);
      })
      .get('/payments/:id', (ctx) => {
        payments.get(ctx.params.id);
        throw new Error('planted');
      });
    const failures = await failuresOf(app, { routes: ['GET /payments/:id'] });
    expect(failures.map(({ rule, route }) => [rule, route])).toEqual([
      ['server-error', 'GET /payments/:id'],
    ]);
    expect(failures[0]?.commands.replace(/\{"name":"[^"]*"\}/, '…')).toMatchInlineSnapshot(`
      "customerId=$(curl -s -X POST 'http://localhost:8080/customers' -H 'Content-Type: application/json' --data-raw '…' | node -pe 'JSON.parse(fs.readFileSync(0)).id')  # 201
      invoiceId=$(curl -s -X POST 'http://localhost:8080/invoices' -H 'Content-Type: application/json' --data-raw '{"customerId":"'"$customerId"'"}' | node -pe 'JSON.parse(fs.readFileSync(0)).id')  # 201
      id=$(curl -s -X POST 'http://localhost:8080/payments' -H 'Content-Type: application/json' --data-raw '{"invoiceId":"'"$invoiceId"'"}' | node -pe 'JSON.parse(fs.readFileSync(0)).id')  # 201
      curl -i 'http://localhost:8080/payments/'"$id"  # 500"
    `);
  });

  it('unless it cannot be created, which a note tells', async () => {
    const app = createApp()
      .post('/customers', { body: z.object({}), errors: [409] }, () => {
        throw new ConflictError('There are enough.');
      })
      .get('/customers/:id', () => ({}))
      .post('/invoices', { body: z.object({ customerId: z.string() }) }, () => ({}));
    const { routes } = await fuzz(app, { seed: 1, routes: ['POST /invoices'] });
    expect(routes[0]?.notes).toEqual(['what customerId names could not be created']);
  });
});

it('what does not respond is reported once, and not tried again', async () => {
  let hanging = 0;
  const notes = new Table();
  const body = z.object({ country: z.enum(['DE', 'FR', 'US']), text: z.string() });
  const app = createApp({ onError: () => {} })
    .post('/notes', { body, status: 201 }, async (ctx) => {
      if (ctx.body.country === 'US') {
        hanging += 1;
        await new Promise(() => {});
      }
      return notes.add(ctx.body);
    })
    .get('/notes/:id', (ctx) => notes.get(ctx.params.id))
    .put('/notes/:id', { body }, (ctx) => notes.get(ctx.params.id))
    .get('/other', () => {
      throw new Error('planted');
    });
  const failures = await failuresOf(app, { timeout: 1_000 });
  expect(failures.map(({ rule, route }) => [rule, route])).toEqual([
    ['no-response', 'POST /notes'],
    ['server-error', 'GET /other'],
  ]);
  expect(hanging).toBe(1);
});
