import { describe, expect, it } from 'vitest';
import type { SessionStore } from '../../src/index.js';

/** The rules that every store follows. */
export function testStore(name: string, createStore: () => SessionStore): void {
  describe(name, () => {
    it('returns undefined for an unknown key', async () => {
      expect(await createStore().read('none', 60_000)).toBeUndefined();
    });

    it('creates a key once', async () => {
      const store = createStore();
      expect(await store.write('a', '1', 60_000, undefined)).toBe(true);
      expect(await store.write('a', '2', 60_000, undefined)).toBe(false);
      expect(await store.read('a', 60_000)).toBe('1');
    });

    it('replaces the expected text only', async () => {
      const store = createStore();
      expect(await store.write('b', '2', 60_000, '1')).toBe(false);
      await store.write('b', '1', 60_000, undefined);
      expect(await store.write('b', '2', 60_000, '0')).toBe(false);
      expect(await store.write('b', '2', 60_000, '1')).toBe(true);
      expect(await store.read('b', 60_000)).toBe('2');
    });

    it('keeps an empty text apart from no text', async () => {
      const store = createStore();
      expect(await store.write('c', '', 60_000, '')).toBe(false);
      expect(await store.write('c', '', 60_000, undefined)).toBe(true);
      expect(await store.write('c', '1', 60_000, undefined)).toBe(false);
      expect(await store.delete('c', '1')).toBe(false);
      expect(await store.delete('c', '')).toBe(true);
    });

    it('deletes the expected text only, or any', async () => {
      const store = createStore();
      expect(await store.delete('d', undefined)).toBe(false);
      await store.write('d', '1', 60_000, undefined);
      expect(await store.delete('d', '2')).toBe(false);
      expect(await store.delete('d', '1')).toBe(true);
      await store.write('d', '3', 60_000, undefined);
      expect(await store.delete('d', undefined)).toBe(true);
      expect(await store.read('d', 60_000)).toBeUndefined();
    });

    it('lets one of many concurrent writes win', async () => {
      const store = createStore();
      await store.write('e', '0', 60_000, undefined);
      const texts = Array.from({ length: 20 }, (_, index) => String(index + 1));
      const written = await Promise.all(texts.map((text) => store.write('e', text, 60_000, '0')));
      expect(written.filter(Boolean)).toHaveLength(1);
      expect(await store.read('e', 60_000)).toBe(texts[written.indexOf(true)]);
    });

    it('deletes what an owner has, except for one key', async () => {
      const store = createStore();
      const [ada, bob] = ['ada', 'bob'].map((id) => ({ id, ttl: 60_000 }));
      await store.write('g', '1', 60_000, undefined, ada);
      await store.write('h', '2', 60_000, undefined, ada);
      await store.write('i', '3', 60_000, undefined, ada);
      await store.write('j', '4', 60_000, undefined, bob);
      await store.write('k', '5', 60_000, undefined);
      await store.delete('i', undefined);
      await store.write('h', '6', 60_000, '2');
      await store.deleteOwned?.('ada', 'g');
      const read = async () =>
        Promise.all(['g', 'h', 'i', 'j', 'k'].map((key) => store.read(key, 60_000)));
      expect(await read()).toEqual(['1', undefined, undefined, '4', '5']);
      await store.deleteOwned?.('ada', undefined);
      await store.deleteOwned?.('nobody', undefined);
      expect(await read()).toEqual([undefined, undefined, undefined, '4', '5']);
    });

    it('keeps text that is not ASCII', async () => {
      const store = createStore();
      const text = '{"name":"Zoë 🚢 \\u0000"}';
      await store.write('f', text, 60_000, undefined);
      expect(await store.read('f', 60_000)).toBe(text);
      expect(await store.write('f', 'é', 60_000, text)).toBe(true);
    });
  });
}
