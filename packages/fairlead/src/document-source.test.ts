import { expect, it } from 'vitest';
import { splitUrl } from './document-source.js';

it.each([
  ['https://a.example/o.json', { shown: 'https://a.example/o.json' }],
  ['https://a.example/o.json?key=s&v=1#x', { shown: 'https://a.example/o.json?key=<key>&v=<v>' }],
  [
    'https://ada:s@a.example/o.json',
    { shown: 'https://a.example/o.json', credentials: 'Basic YWRhOnM=' },
  ],
])('splitUrl() shows %s without its secrets', (text, split) => {
  expect(splitUrl(text)).toEqual({ ...split, url: text.replace('ada:s@', '') });
});
