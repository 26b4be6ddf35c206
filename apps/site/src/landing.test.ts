import { describe, expect, it } from 'vitest';
import { layOutLanding } from './landing.ts';

const token = (type: string, tag = '', content = '') => ({ type, tag, content });
const html = (content: string) => token('html_block', '', content);
const item = (text: string) => [token('list_item_open'), token('inline', '', text)];
const report = html('<pre class="start-report"></pre>');
const list = (writes: string) => [
  token('bullet_list_open'),
  ...item('Of the 461 that\ncompile, 265 stop.'),
  ...item('It serves 0.98 times the GET requests per second of a server.'),
  ...item(writes),
  token('bullet_list_close'),
];
const page = (writes = 'Killed during 161,234 acknowledged writes. None was lost.') => [
  token('heading_open', 'h1'),
  token('fence'),
  report,
  token('heading_open', 'h2'),
  ...list(writes),
  token('paragraph_open'),
];

describe('the landing page', () => {
  it('has the report beside what precedes it, and the numbers of the sentences', () => {
    const laidOut = layOutLanding(page(), html);
    const kinds = laidOut.map(({ type, content }) => content.trim() || type);
    expect(kinds).toEqual([
      '<main class="landing">\n<div class="landing-first"><div class="landing-code">',
      'heading_open',
      'fence',
      '</div>',
      '<pre class="start-report"></pre>',
      '<p class="landing-try"><a href="playground.html">Break an application in the playground</a></p>',
      '</div>',
      'heading_open',
      '<div class="landing-numbers">',
      'bullet_list_open',
      'list_item_open',
      '<p class="number" aria-hidden="true">265 of 461</p>',
      'Of the 461 that\ncompile, 265 stop.',
      'list_item_open',
      '<p class="number" aria-hidden="true">0.98 ×</p>',
      'It serves 0.98 times the GET requests per second of a server.',
      'list_item_open',
      '<p class="number" aria-hidden="true">0 of 161,234</p>',
      'Killed during 161,234 acknowledged writes. None was lost.',
      'bullet_list_close',
      '</div>',
      'paragraph_open',
      '</main>',
    ]);
  });

  it('cannot be built without a number or the report', () => {
    expect(() => layOutLanding(page('Writes are safe.'), html)).toThrow('acknowledged writes');
    const without = page().filter((token) => token !== report);
    expect(() => layOutLanding(without, html)).toThrow('must show the report');
  });
});
