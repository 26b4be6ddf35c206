import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { generateFilter } from './generate-filter.js';
import { Reading } from './judge.js';
import { compileDescribed } from './strip-undescribed.js';

const User = z.object({ name: z.string(), address: z.object({ city: z.string() }) });
const ada = { name: 'Ada', address: { city: 'London' } };

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
    ['that are arrays', [{ name: 'Cy' }], undefined],
    ['that are text', new String('Cy'), 'Cy'],
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

it('generates no filter for what a literal would change', () => {
  const keep = (_: object, value: object) => value;
  for (const name of ['__proto__', '0', '12'])
    expect(generateFilter([name], [{ any: true }], keep)).toBeUndefined();
  const filter = generateFilter(['-1', 'name'], [{ any: true }, undefined], keep);
  expect(filter?.({ '-1': 1, name: 2 }, new Reading())).toEqual({ '-1': 1 });
});
