import { expect, it } from 'vitest';
import { createApp } from '../application.js';
import { etag } from './etag.js';

it.each(['*', '"x"'])('an unanswered request with If-None-Match %s stays a 404', async (tags) => {
  const app = createApp().use(etag());
  const answer = await app.request('/nowhere', { headers: { 'If-None-Match': tags } });
  expect(answer.status).toBe(404);
  expect(answer.headers.get('ETag')).toBeNull();
});
