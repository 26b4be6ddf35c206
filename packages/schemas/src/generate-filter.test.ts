import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { sent } from '../test/support/sent.js';
import { compileDescribed } from './strip-undescribed.js';

const User = z.object({ name: z.string(), address: z.object({ city: z.string() }) });
const ada = { name: 'Ada', address: { city: 'London' } };

function returnThis(this: object): object {
  return this;
}

/** Returns what a schema keeps of values, once there is a filter for objects like one of them. */
function keepAfter(schema: object, learned: object): (value: unknown) => unknown {
  const keep = compileDescribed(schema).keep ?? ((value) => value);
  for (let count = 0; count < 20; count += 1) keep(learned);
  return keep;
}

describe('a filter for objects with the same members', () => {
  it('returns the object itself if there is nothing to remove', () => {
    const keep = keepAfter(User, ada);
    const other = { name: 'Bob', address: { city: 'Paris' } };

    expect(keep(other)).toBe(other);
  });

  it('removes members, and keeps the others in their order', () => {
    const keep = keepAfter(User, { password: 'x', ...ada, more: 1 });
    const kept = keep({ password: 'y', name: 'Bob', address: { city: 'Paris' }, more: 2 });

    expect(JSON.stringify(kept)).toBe('{"name":"Bob","address":{"city":"Paris"}}');
  });

  it('removes members of members', () => {
    const keep = keepAfter(User, ada);
    const kept = keep({ name: 'Bob', address: { city: 'Paris', secret: 1 } });

    expect(kept).toEqual({ name: 'Bob', address: { city: 'Paris' } });
  });

  it.each<[string, unknown, unknown]>([
    ['with another order', { address: { city: 'Rome', secret: 1 }, name: 'Cy' }, undefined],
    ['that lack one', { name: 'Cy', secret: 1 }, { name: 'Cy' }],
    ['with one more', { ...ada, secret: 1 }, ada],
    [
      'with an inherited member',
      Object.assign(Object.create({ address: { city: 'Rome' } }), { name: 'Cy', secret: 1 }),
      { name: 'Cy' },
    ],
    ['with an object in place of text', { name: { secret: 1 }, address: ada.address }, undefined],
    ['with a toJSON() method', { ...ada, toJSON: () => ({ name: 'Cy', secret: 1 }) }, undefined],
    ['that are text', Object.assign(new String(''), ada), ''],
  ])('leaves objects %s to the loop over the members', (_, value, expected) => {
    const text = JSON.stringify(keepAfter(User, ada)(value));

    expect(text).toBe(JSON.stringify(compileDescribed(User).keep?.(value)));
    expect(text).not.toContain('secret');
    if (expected !== undefined) expect(JSON.parse(text)).toEqual(expected);
  });

  it('does not send a member that JSON leaves out', () => {
    const Named = z.object({ id: z.number(), name: z.string() });
    const keep = keepAfter(Named, { id: 1, secret: 2, name: 'Ada' });
    const hidden = Object.defineProperty({ id: 2, secret: 2 }, 'name', { value: 'Bob' });
    const inherited = Object.assign(Object.create({ name: 'Bob' }), { id: 2, secret: 2 });
    class Entity {
      id = 2;
      secret = 2;
      get name() {
        return 'Bob';
      }
    }
    for (const value of [hidden, inherited, new Entity()]) expect(keep(value)).toEqual({ id: 2 });
    expect(keepAfter(Named, new Entity())(new Entity())).toEqual({ id: 2 });
  });

  it('is not for text, whatever members it has', () => {
    const learned = { name: 'Ada', secret: 1 };
    const keep = keepAfter(z.object({ name: z.string() }), learned);

    expect(JSON.stringify(keep(Object.assign(new String(''), learned)))).toBe('""');
  });

  it('is not for raw JSON, which has a member', () => {
    const { rawJSON }: { readonly rawJSON?: (text: string) => object } = JSON as object;
    const keep = keepAfter(z.object({ id: z.number() }), { rawJSON: '1' });

    expect(JSON.stringify(keep(rawJSON?.('1')))).toBe(rawJSON && '1');
  });

  it.each<[string, object]>([
    ['an array', []],
    ['an array of holes', Array(2)],
    ['a function', () => undefined],
  ])('is not for %s among elements, whatever members it has', (_, element) => {
    for (const learned of [{ title: 'x', secret: 1 }, { title: 'x' }, {}]) {
      const schema = z.array(z.object({ title: z.string() }));
      const given = [Object.assign(element, learned)];
      const kept = JSON.stringify(keepAfter(schema, [learned])(given));

      expect(kept).toBe(JSON.stringify(compileDescribed(schema).keep?.(given)));
    }
  });

  it('calls toJSON() of elements', () => {
    class Entity {
      name = 'Ada';
      toJSON() {
        return { name: 'Bob', secret: 1 };
      }
    }
    const keep = keepAfter(z.array(z.object({ name: z.string() })), [{ name: 'Ada' }]);

    expect(keep([new Entity()])).toEqual([{ name: 'Bob' }]);
  });

  it('keeps a member that sets the prototype of a literal', () => {
    const text = '{"__proto__":{"city":"Paris","secret":1},"secret":1}';
    const properties = Object.fromEntries([['__proto__', z.object({ city: z.string() })]]);
    const kept = keepAfter(z.object(properties), JSON.parse(text))(JSON.parse(text));

    expect(JSON.stringify(kept)).toBe('{"__proto__":{"city":"Paris"}}');
  });

  it('keeps names that are no identifiers', () => {
    const name = '"];throw 1;//\u2028\n`\\';
    const keep = keepAfter(z.object({ [name]: z.number() }), { [name]: 1, secret: 1 });

    expect(keep({ [name]: 2, secret: 1 })).toEqual({ [name]: 2 });
  });

  it('reads a getter once, and a member that nothing describes never', () => {
    let reads = 0;
    const create = () =>
      Object.defineProperty({ secret: 1 }, 'name', {
        enumerable: true,
        get: () => {
          reads += 1;
          return 'Ada';
        },
      });
    const keep = keepAfter(z.object({ name: z.string() }), create());
    reads = 0;

    expect(JSON.stringify(keep(create()))).toBe('{"name":"Ada"}');
    expect(reads).toBe(1);
  });

  it('is generated for the most frequent of many members', () => {
    const names = Array.from({ length: 50 }, (_, index) => `m${index}`);
    const schema = z.partialRecord(z.enum(['id', ...names]), z.number());
    const keep = keepAfter(schema, { id: 1 });
    for (const name of names) {
      for (let count = 0; count < 20; count += 1)
        expect(keep({ id: count, [name]: 1, secret: 1 })).toEqual({ id: count, [name]: 1 });
    }
    expect(keep({ id: 2, secret: 1 })).toEqual({ id: 2 });
  });
});

describe('the code that is generated', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });

  /** Calls a function with the compiler, and returns the texts that were compiled meanwhile. */
  async function listCompiled(
    run: (compile: typeof compileDescribed) => void,
  ): Promise<readonly string[]> {
    const compiled: string[] = [];
    const { Function: compile } = globalThis;
    vi.stubGlobal('Function', (...parts: string[]) => {
      compiled.push(parts.at(-1) ?? '');
      return compile(...parts);
    });
    vi.resetModules();
    const module = await import('./strip-undescribed.js');
    compiled.length = 0;
    run(module.compileDescribed);
    return compiled;
  }

  it('is for members that objects of a recursive schema have', async () => {
    const Node: z.ZodType = z.object({ id: z.number(), child: z.lazy(() => Node).optional() });
    let chain: object = { id: 0, secret: 1 };
    for (let id = 1; id < 12; id += 1) chain = { id, child: chain, secret: 1 };
    const compiled = await listCompiled((compile) => {
      const { keep } = compile(Node);
      for (let count = 0; count < 50; count += 1) keep?.(chain);
    });

    for (const text of compiled) expect(text).toMatch(/{ "id": m0(, "child": m1)? };\n};$/);
    expect(new Set(compiled).size).toBe(compiled.length);
  });

  it.each<[string, object, object]>([
    ['are keys of a record', z.record(z.string(), z.number()), { id: 1 }],
    ['are inherited', z.object({ id: z.number() }), Object.create({ id: 1 })],
    ['toJSON() replaces', z.object({ id: z.number() }), { id: 1, toJSON: returnThis }],
    ['are long', z.object({ id: z.number() }), { id: 1, ['x'.repeat(5_000)]: 1 }],
  ])('is not for members that %s', async (_, schema, value) => {
    const compiled = await listCompiled((compile) => {
      const { keep } = compile(schema);
      for (let count = 0; count < 50; count += 1) keep?.(value);
    });

    expect(compiled).toEqual([]);
  });

  it('is at most four functions for what may be at one place', async () => {
    const compiled = await listCompiled((compile) => {
      const { keep } = compile(z.object({ id: z.number() }));
      for (let name = 0; name < 9; name += 1)
        for (let count = 0; count < 9; count += 1) keep?.({ id: count, [`x${name}`]: 1 });
    });

    expect(compiled).toHaveLength(4);
  });
});

it('a value as deep as one without a schema can be is sent each time', () => {
  const Node: z.ZodType = z.object({ id: z.number(), child: z.lazy(() => Node).optional() });
  let chain: object = { id: 0 };
  for (let id = 1; id < 1_200; id += 1) chain = { id, child: chain };

  expect(sent(Node, chain)).toEqual(chain);
});

describe('where the runtime does not generate code', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });

  it('sends the same, and asks only once', async () => {
    const refuse = vi.fn(function refused() {
      throw new EvalError('Code generation from strings disallowed for this context');
    });
    vi.stubGlobal('Function', refuse);
    vi.resetModules();
    const { compileDescribed: compile } = await import('./strip-undescribed.js');
    const keep = compile(User).keep ?? ((value) => value);
    const asked = refuse.mock.calls.length;
    for (let count = 0; count < 50; count += 1)
      expect(keep({ ...ada, secret: count })).toEqual(ada);

    expect(refuse.mock.calls.length - asked).toBe(1);
  });
});

it('is not generated for members of which a literal would make something else', () => {
  for (const name of ['__proto__', 'rawJSON']) {
    const properties = Object.fromEntries([[name, z.object({ city: z.string() })]]);
    const value: unknown = JSON.parse(`{"${name}":{"city":"Paris","secret":1}}`);

    expect(sent(z.object(properties), value)).toEqual(JSON.parse(`{"${name}":{"city":"Paris"}}`));
  }
});
