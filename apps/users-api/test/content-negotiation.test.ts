import { describe, expect, it } from 'vitest';
import { shareApi, WIRE_APIS } from './support/api.js';

describe.each(WIRE_APIS)('a user in the $variant API over the $store store', (api) => {
  const sharedApi = shareApi(api);

  it.each(['text/html', 'text/html,application/xhtml+xml,*/*;q=0.8', 'TEXT/HTML'])(
    'is an HTML page for Accept: %s',
    async (accept) => {
      const { create, send } = await sharedApi();
      const ada = await create();
      const response = await send('GET', `/${ada.id}`, { headers: { accept } });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('vary')).toBe('Accept');
      expect(await response.text()).toContain('<h1>Ada</h1>');
    },
  );

  it.each(['application/json', '*/*', 'image/png', 'text/plain'])(
    'is the JSON envelope for Accept: %s',
    async (accept) => {
      const { create, send } = await sharedApi();
      const ada = await create();
      const response = await send('GET', `/${ada.id}`, { headers: { accept } });
      expect(response.headers.get('content-type')).toMatch(/^application\/json\b/);
      expect(response.headers.get('vary')).toBe('Accept');
      expect(await response.json()).toEqual({ data: ada });
    },
  );

  it('has its name and email escaped in HTML', async () => {
    const { create, send } = await sharedApi();
    const { id } = await create({ name: '<script>alert(1)</script>', email: `"&'@example.com` });
    const page = await (await send('GET', `/${id}`, { headers: { accept: 'text/html' } })).text();
    expect(page).not.toContain('<script>');
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page).toContain('&quot;&amp;&#39;@example.com');
  });

  it('that does not exist is a JSON problem, whatever is accepted', async () => {
    const { send } = await sharedApi();
    const response = await send('GET', '/nobody', { headers: { accept: 'text/html' } });
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json\b/);
  });
});
