import { describe, expect, it } from 'vitest';
import { MemoryUserStore } from '../src/users/store/memory.js';
import { ADA, APIS, bodyOf, clientOf, openApi, shareApi, startService } from './support/api.js';

const MOUNTS = ['/api/users', '/api/v1/users', '/api/v2/users'];
const NEW_NAME = { name: 'Ada L.' };

/** The options of a request with a condition and, if given, a JSON body. */
function when(name: 'If-Match' | 'If-None-Match', tags: string, value?: unknown): RequestInit {
  if (value === undefined) return { headers: { [name]: tags } };
  const headers = { [name]: tags, 'content-type': 'application/json' };
  return { headers, body: JSON.stringify(value) };
}

const tagOf = (response: Response) => response.headers.get('etag') ?? '';

describe.each(APIS)('a user of the $variant API over the $store store', (api) => {
  const sharedApi = shareApi(api);

  it('has the same tag in the responses of POST, GET and PUT until it changes', async () => {
    const { send, sendJson } = await sharedApi();
    const created = await sendJson('POST', '', ADA);
    expect(tagOf(created)).toMatch(/^"[!#-~]+"$/);
    const { id } = (await bodyOf<{ data: { id: string } }>(created)).data;
    expect(tagOf(await send('GET', `/${id}`))).toBe(tagOf(created));
    const updated = await sendJson('PUT', `/${id}`, NEW_NAME);
    expect(tagOf(updated)).not.toBe(tagOf(created));
    expect(tagOf(await send('GET', `/${id}`))).toBe(tagOf(updated));
  });

  it('has another tag as HTML, and a 304 for each of the two', async () => {
    const { create, send } = await sharedApi();
    const path = `/${(await create()).id}`;
    const html = { accept: 'text/html' };
    const tag = tagOf(await send('GET', path));
    const htmlTag = tagOf(await send('GET', path, { headers: html }));
    expect(htmlTag).not.toBe(tag);
    const get = async (headers: Record<string, string>) =>
      (await send('GET', path, { headers })).status;
    expect(await get({ 'if-none-match': tag })).toBe(304);
    expect(await get({ 'if-none-match': htmlTag })).toBe(200);
    expect(await get({ ...html, 'if-none-match': htmlTag })).toBe(304);
    expect(await get({ ...html, 'if-none-match': tag })).toBe(200);
  });

  it('is changed and deleted while If-Match has its tag', async () => {
    const { create, send } = await sharedApi();
    const path = `/${(await create()).id}`;
    const tag = tagOf(await send('GET', path));
    const updated = await send('PUT', path, when('If-Match', `"other", ${tag}`, NEW_NAME));
    expect(await updated.json()).toMatchObject({ data: NEW_NAME });
    expect((await send('DELETE', path, when('If-Match', tagOf(updated)))).ok).toBe(true);
    expect((await send('GET', path)).status).toBe(404);
  });

  it('is neither changed nor deleted when If-Match has no tag of it', async () => {
    const { create, send } = await sharedApi();
    const ada = await create();
    const path = `/${ada.id}`;
    const tag = tagOf(await send('GET', path));
    for (const tags of ['"other"', `W/${tag}`, '']) {
      for (const response of [
        await send('PUT', path, when('If-Match', tags, NEW_NAME)),
        await send('DELETE', path, when('If-Match', tags)),
      ]) {
        expect(response.status).toBe(412);
        expect(await response.json()).toMatchObject({ code: 'PRECONDITION_FAILED' });
      }
    }
    expect(await (await send('GET', path)).json()).toEqual({ data: ada });
  });

  it('is changed and deleted with If-Match: *', async () => {
    const { create, send } = await sharedApi();
    const path = `/${(await create()).id}`;
    expect((await send('PUT', path, when('If-Match', '*', NEW_NAME))).status).toBe(200);
    expect((await send('DELETE', path, when('If-Match', '*'))).ok).toBe(true);
  });

  it.each(['*', '"other"'])('that does not exist is a 404 with If-Match: %s', async (tags) => {
    const { send } = await sharedApi();
    const update = await send('PUT', '/nobody', when('If-Match', tags, NEW_NAME));
    const remove = await send('DELETE', '/nobody', when('If-Match', tags));
    expect([update.status, remove.status]).toEqual([404, 404]);
  });

  it('is changed by one of several clients that have read the same', async () => {
    const { create, send } = await openApi(api);
    const path = `/${(await create()).id}`;
    const tag = tagOf(await send('GET', path));
    const names = ['B', 'C', 'D', 'E'];
    const responses = await Promise.all(
      names.map((name) => send('PUT', path, when('If-Match', tag, { name }))),
    );
    const statuses = responses.map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 412, 412, 412]);
    expect(await (await send('GET', path)).json()).toMatchObject({
      data: { name: names[statuses.indexOf(200)] },
    });
  });
});

describe.each(MOUNTS)('a user of %s who changes after If-Match was compared', (mount) => {
  /** A store in which another client is always faster. */
  async function serveRival(intervene: (store: MemoryUserStore, id: string) => void) {
    const store = new MemoryUserStore();
    const { id } = store.create(ADA);
    const rival = Object.assign(new MemoryUserStore(), {
      find: store.find.bind(store),
      update(...args: Parameters<MemoryUserStore['update']>) {
        intervene(store, id);
        return store.update(...args);
      },
      delete(...args: Parameters<MemoryUserStore['delete']>) {
        intervene(store, id);
        return store.delete(...args);
      },
    });
    const { send } = clientOf(`${await startService({ store: rival })}${mount}`);
    return { path: `/${id}`, send, tag: tagOf(await send('GET', `/${id}`)) };
  }

  it.each([
    ['changed', 412, (store: MemoryUserStore, id: string) => store.update(id, { name: 'X' })],
    ['deleted', 404, (store: MemoryUserStore, id: string) => store.delete(id)],
  ])('and was %s is a %i', async (_, status, intervene) => {
    const put = await serveRival(intervene);
    const update = await put.send('PUT', put.path, when('If-Match', put.tag, NEW_NAME));
    const remove = await serveRival(intervene);
    const deleted = await remove.send('DELETE', remove.path, when('If-Match', remove.tag));
    expect([update.status, deleted.status]).toEqual([status, status]);
  });
});
