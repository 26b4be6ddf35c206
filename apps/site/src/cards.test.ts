import { expect, it } from 'vitest';
import { CARD, cardPathOf, drawCard } from './cards.ts';

/** Returns the size of a PNG. */
function sizeOf(png: Uint8Array) {
  const view = new DataView(png.buffer, png.byteOffset);
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

it('a card is a PNG of the size of a large preview, which depends on its text', async () => {
  const card = { part: 'Guides', title: 'Guards', text: 'Decide which requests may pass.' };
  const png = await drawCard(card);
  expect(Buffer.from(png.subarray(1, 4)).toString()).toBe('PNG');
  expect(sizeOf(png)).toEqual(CARD);
  expect(await drawCard(card)).toEqual(png);
  expect(await drawCard({ ...card, title: 'Errors' })).not.toEqual(png);
});

it('a card has the path of its page', () => {
  expect(cardPathOf('guides/guards.md')).toBe('cards/guides/guards.png');
  expect(cardPathOf('index.md')).toBe('cards/index.png');
});
