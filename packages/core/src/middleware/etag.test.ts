import { expect, it } from 'vitest';
import { createApp } from '../application.js';
import { etag } from './etag.js';

it.each(['*', '"x"'])('an unhandled request with If-None-Match %s stays a 404', async (tags) => {
  const app = createApp().use(etag());
  const response = await app.request('/nowhere', { headers: { 'If-None-Match': tags } });
  expect(response.status).toBe(404);
  expect(response.headers.get('ETag')).toBeNull();
});
