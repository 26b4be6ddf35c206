import { createApp } from '@fairlead/core';
import { createDocument } from '@fairlead/openapi';
import { expect, it } from 'vitest';
import { csrf, etag, requestId, timeout } from '../src/index.js';

it('documents show the headers and the responses of middleware', () => {
  const app = createApp()
    .use(requestId({ header: 'X-Id' }), csrf(), timeout(1_000, { status: 504 }), etag())
    .get('/notes', () => [])
    .post('/notes', () => 'added');
  const { paths, components } = createDocument(app, { info: { title: 'Notes', version: '1' } });
  const { get, post } = JSON.parse(JSON.stringify(paths))['/notes'];

  expect(Object.keys(get.responses)).toEqual(['200', '304', '504', 'default']);
  expect(Object.keys(get.responses[200].headers)).toEqual(['X-Id', 'ETag']);
  expect(Object.keys(get.responses[304].headers)).toEqual(['X-Id', 'ETag']);
  expect(Object.keys(post.responses)).toEqual(['200', '403', '504', 'default']);
  expect(Object.keys(post.responses[200].headers)).toEqual(['X-Id']);
  expect(components.responses?.Forbidden).toMatchObject({
    headers: { 'X-Id': { $ref: '#/components/headers/X-Id' } },
    content: { 'application/problem+json': {} },
  });
});
