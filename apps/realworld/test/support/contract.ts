import type { TestApp } from '@fairlead/testing';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open.ts';
import { addUser, Client, createApp, open, SECRET } from './client.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Describes the API on a database, which is empty at first. */
export function describeConduit(name: string, url: () => string): void {
  describe(`Conduit on ${name}`, () => {
    let database: Database;
    let app: TestApp;
    let anybody: Client;

    beforeAll(async () => {
      database = await openDatabase(url(), () => {});
      app = await createApp(database);
      anybody = new Client(app);
    });
    afterAll(async () => {
      await app?.close();
      await database?.close();
    });

    const refused = (status: number, errors: Record<string, string[]>) => ({
      status,
      body: { errors },
    });
    const register = () => addUser(app, database);
    const signIn = (email: string, password: string) =>
      anybody.post('/users/login', { user: { email, password } });

    describe('users', () => {
      it('registers a user, whose token and password sign them in', async () => {
        const user = {
          username: 'Ada Lovelace',
          email: 'Ada@Example.com',
          password: 'correct horse',
        };
        const registered = await anybody.post('/users', { user });
        expect(registered.status).toBe(201);
        const { token, ...rest } = registered.body.user;
        const shown = {
          username: 'Ada Lovelace',
          email: 'ada@example.com',
          bio: null,
          image: null,
        };
        expect(rest).toEqual(shown);
        const ada = new Client(app, { token });
        expect(await ada.get('/user')).toMatchObject({ status: 200, body: { user: shown } });
        const signedIn = await signIn('ADA@example.com', 'correct horse');
        expect(signedIn).toMatchObject({ status: 200, body: { user: shown } });
      });

      it('lists what is wrong with each member', async () => {
        const user = { username: ' ', email: 'nowhere', password: 'short' };
        expect(await anybody.post('/users', { user })).toEqual(
          refused(422, {
            username: ["can't be blank"],
            email: ['is invalid'],
            password: ['is too short (minimum is 8 characters)'],
          }),
        );
        const { body } = await anybody.post('/users', { user: { username: null, email: 7 } });
        expect(body.errors).toEqual({
          username: ["can't be blank"],
          email: ['must be a string'],
          password: ["can't be blank"],
        });
      });

      it('refuses a name or an address that another user has', async () => {
        const ada = await register();
        const { email } = (await ada.get('/user')).body.user;
        const other = {
          username: 'somebody',
          email: 'somebody@example.com',
          password: 'correct horse',
        };
        const taken = ['has already been taken'];
        const sameName = { user: { ...other, username: ada.username } };
        expect(await anybody.post('/users', sameName)).toEqual(refused(409, { username: taken }));
        const sameEmail = { user: { ...other, email } };
        expect(await anybody.post('/users', sameEmail)).toEqual(refused(409, { email: taken }));
        const bob = await register();
        expect(await bob.put('/user', { user: { email } })).toEqual(refused(409, { email: taken }));
      });

      it('registers a name once, even in concurrent requests', async () => {
        const register = (number: number) => {
          const user = {
            username: 'Grace',
            email: `${number}@grace.example`,
            password: 'correct horse',
          };
          return anybody.post('/users', { user });
        };
        const results = await Promise.all([1, 2, 3, 4].map(register));
        expect(results.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
      });

      it('does not tell an unknown address from a wrong password', async () => {
        const user = { username: 'Emmy', email: 'emmy@example.com', password: 'correct horse' };
        expect((await anybody.post('/users', { user })).status).toBe(201);
        const wrong = refused(401, { credentials: ['invalid'] });
        expect(await signIn('emmy@example.com', 'a guess')).toEqual(wrong);
        expect(await signIn('nobody@example.com', 'a guess')).toEqual(wrong);
        expect(await signIn(' ', '')).toMatchObject({ status: 422 });
      });

      it('changes the members that it receives', async () => {
        const user = { username: 'Alan', email: 'alan@example.com', password: 'correct horse' };
        const { user: before } = (await anybody.post('/users', { user })).body;
        const ada = new Client(app, before);
        const change = async (user: object) => (await ada.put('/user', { user })).body.user;
        expect(await change({ bio: 'Writes.' })).toMatchObject({
          ...before,
          token: expect.any(String),
          bio: 'Writes.',
        });
        expect(await change({ image: 'https://example.com/ada.png' })).toMatchObject({
          bio: 'Writes.',
        });
        expect(await change({ bio: '', image: null })).toMatchObject({ bio: null, image: null });
        await change({ password: 'battery staple' });
        expect((await signIn(before.email, 'correct horse')).status).toBe(401);
        expect((await signIn(before.email, 'battery staple')).status).toBe(200);
        for (const user of [{ username: null }, { email: '' }, { password: 'short' }, { bio: 7 }]) {
          expect(await ada.put('/user', { user })).toMatchObject({ status: 422 });
        }
      });

      it('accepts tokens with its own signature until they expire', async () => {
        const sign = (secret: string, expires: string, subject: string) =>
          new SignJWT()
            .setProtectedHeader({ alg: 'HS256' })
            .setIssuer('conduit')
            .setSubject(subject)
            .setExpirationTime(expires)
            .sign(new TextEncoder().encode(secret));
        const get = (token?: string) => new Client(app, { token }).get('/user');
        expect((await get(await sign(SECRET, '1m', '1'))).status).toBe(200);
        expect(await get()).toEqual(refused(401, { token: ['is missing'] }));
        const invalid = refused(401, { token: ['is invalid'] });
        expect(await get('x.y.z')).toEqual(invalid);
        expect(await get(await sign(SECRET, '-1m', '1'))).toEqual(invalid);
        expect(await get(await sign(SECRET.toUpperCase(), '1m', '1'))).toEqual(invalid);
        // A user that does not exist.
        expect(await get(await sign(SECRET, '1m', '999999'))).toEqual(invalid);
        const headers = { Authorization: `Bearer ${await sign(SECRET, '1m', '1')}` };
        const bearer = await app.request('/api/articles', { headers });
        expect(bearer.status).toBe(401);
        expect(bearer.headers.get('WWW-Authenticate')).toBe('Token');
      });
    });

    describe('profiles', () => {
      it('shows each reader whether they follow the user', async () => {
        const [ada, bob] = [await register(), await register()];
        const path = `/profiles/${ada.username}`;
        const profile = { username: ada.username, bio: null, image: null };
        const isFollowing = (following: boolean) => ({
          status: 200,
          body: { profile: { ...profile, following } },
        });
        expect(await bob.get(path)).toEqual(isFollowing(false));
        expect(await bob.post(`${path}/follow`)).toEqual(isFollowing(true));
        expect(await bob.post(`${path}/follow`)).toEqual(isFollowing(true));
        expect(await bob.get(path)).toEqual(isFollowing(true));
        expect(await ada.get(path)).toEqual(isFollowing(false));
        expect(await anybody.get(path)).toEqual(isFollowing(false));
        expect(await bob.delete(`${path}/follow`)).toEqual(isFollowing(false));
        expect(await bob.get(path)).toEqual(isFollowing(false));
      });

      it('needs a user to follow, and a token', async () => {
        const ada = await register();
        const missing = refused(404, { profile: ['not found'] });
        expect(await anybody.get('/profiles/nobody')).toEqual(missing);
        expect(await ada.post('/profiles/nobody/follow')).toEqual(missing);
        expect(await ada.delete('/profiles/nobody/follow')).toEqual(missing);
        expect((await anybody.post(`/profiles/${ada.username}/follow`)).status).toBe(401);
      });
    });

    describe('articles', () => {
      it('shows what was written', async () => {
        const ada = await register();
        const texts = { title: 'Zoë’s 2nd note', description: 'Short', body: 'Long\n🚀' };
        const article = await ada.write({ ...texts, tagList: ['b', 'a', 'b'] });
        const profile = { username: ada.username, bio: null, image: null, following: false };
        expect(article).toEqual({
          ...texts,
          slug: 'zoë-s-2nd-note',
          tagList: ['a', 'b'],
          createdAt: expect.stringMatching(ISO),
          updatedAt: article.createdAt,
          favorited: false,
          favoritesCount: 0,
          author: profile,
        });
        const path = `/articles/${encodeURIComponent(article.slug)}`;
        expect(await anybody.get(path)).toEqual({ status: 200, body: { article } });
        const { body: _, ...summary } = article;
        const { body } = await anybody.get(`/articles?author=${ada.username}`);
        expect(body).toEqual({ articles: [summary], articlesCount: 1 });
      });

      it('gives every article its own slug', async () => {
        const ada = await register();
        const written = await Promise.all([1, 2, 3].map(() => ada.write({ title: 'The same' })));
        expect(new Set(written.map(({ slug }) => slug)).size).toBe(3);
        // /articles/feed is the feed.
        const [feed, none] = [await ada.write({ title: 'Feed' }), await ada.write({ title: '!?' })];
        expect((await anybody.get(`/articles/${feed.slug}`)).body.article.title).toBe('Feed');
        expect((await anybody.get(`/articles/${none.slug}`)).body.article.title).toBe('!?');
      });

      it('lists the newest first, by page and by filter', async () => {
        const [ada, bob] = [await register(), await register()];
        const tag = `tag-${ada.username}`;
        await ada.write({ title: 'First', tagList: [tag, 'x'] });
        const second = await ada.write({ title: 'Second', tagList: [tag] });
        await bob.write({ title: 'Third', tagList: [tag] });
        await bob.post(`/articles/${second.slug}/favorite`);
        expect(await anybody.titles(`/articles?tag=${tag}`)).toEqual(['Third', 'Second', 'First']);
        expect(await anybody.titles(`/articles?tag=${tag}&author=${ada.username}`)).toEqual([
          'Second',
          'First',
        ]);
        expect(await anybody.titles(`/articles?favorited=${bob.username}`)).toEqual(['Second']);
        expect(await anybody.titles(`/articles?favorited=${ada.username}`)).toEqual([]);
        expect(await anybody.titles('/articles?limit=2')).toEqual(['Third', 'Second']);
        const { body: page } = await anybody.get(`/articles?tag=${tag}&limit=1&offset=1`);
        expect(page).toMatchObject({
          articles: [{ title: 'Second', favoritesCount: 1 }],
          articlesCount: 3,
        });
        const { body: end } = await anybody.get(`/articles?tag=${tag}&offset=3`);
        expect(end).toEqual({ articles: [], articlesCount: 3 });
      });

      it('feeds readers the articles of those that they follow', async () => {
        const [ada, bob, eve] = [await register(), await register(), await register()];
        await ada.write({ title: 'Of Ada' });
        await eve.write({ title: 'Of Eve' });
        expect((await bob.get('/articles/feed')).body).toEqual({ articles: [], articlesCount: 0 });
        await bob.post(`/profiles/${ada.username}/follow`);
        const { body } = await bob.get('/articles/feed?limit=1');
        const author = { username: ada.username, following: true };
        expect(body).toMatchObject({ articles: [{ title: 'Of Ada', author }], articlesCount: 1 });
        expect(await bob.titles('/articles/feed?offset=1')).toEqual([]);
        expect((await anybody.get('/articles/feed')).status).toBe(401);
      });

      it('changes the members that it receives', async () => {
        const ada = await register();
        const tag = `tag-${ada.username}`;
        const article = await ada.write({ title: `By ${ada.username}`, tagList: [tag] });
        const path = `/articles/${article.slug}`;
        const change = (article: object) => ada.put(path, { article });
        const changed = (await change({ body: 'New' })).body.article;
        expect(changed).toEqual({ ...article, body: 'New', updatedAt: changed.updatedAt });
        expect(changed.updatedAt >= article.updatedAt).toBe(true);
        // The same title keeps the slug.
        expect((await change({ title: article.title })).body.article.slug).toBe(article.slug);
        expect((await change({ tagList: ['other'] })).body.article.tagList).toEqual(['other']);
        expect(await anybody.titles(`/articles?tag=${tag}`)).toEqual([]);
        expect((await change({ tagList: [] })).body.article.tagList).toEqual([]);
        expect((await change({ tagList: null })).status).toBe(422);
        const renamed = (await change({ title: `Now by ${ada.username}` })).body.article;
        expect(renamed.slug).toBe(`now-by-${ada.username}`);
        expect((await anybody.get(path)).status).toBe(404);
        expect((await anybody.get(`/articles/${renamed.slug}`)).body.article).toEqual(renamed);
      });

      it('deletes an article with its comments, favorites and tags', async () => {
        const ada = await register();
        const tag = `tag-${ada.username}`;
        const { slug } = await ada.write({ tagList: [tag] });
        await ada.post(`/articles/${slug}/favorite`);
        await ada.post(`/articles/${slug}/comments`, { comment: { body: 'Nice' } });
        expect((await anybody.get('/tags')).body.tags).toContain(tag);
        expect(await ada.delete(`/articles/${slug}`)).toEqual({ status: 204, body: undefined });
        expect((await anybody.get(`/articles/${slug}`)).status).toBe(404);
        expect(await anybody.titles(`/articles?favorited=${ada.username}`)).toEqual([]);
        expect((await anybody.get('/tags')).body.tags).not.toContain(tag);
      });

      it('lets only authors change and delete', async () => {
        const [ada, bob] = [await register(), await register()];
        const { slug } = await ada.write();
        const denied = refused(403, { article: ['forbidden'] });
        for (const article of [{ body: 'Mine' }, { title: 'Mine' }]) {
          expect(await bob.put(`/articles/${slug}`, { article })).toEqual(denied);
        }
        expect(await bob.delete(`/articles/${slug}`)).toEqual(denied);
        const { body } = await anybody.get(`/articles/${slug}`);
        expect(body.article).toMatchObject({ title: 'A title', body: 'A body' });
      });

      it('responds with 404 to an unknown slug', async () => {
        const ada = await register();
        const comment = { body: 'Nice' };
        const results = await Promise.all([
          ada.get('/articles/none'),
          ada.put('/articles/none', { article: { body: 'New' } }),
          ada.delete('/articles/none'),
          ada.post('/articles/none/favorite'),
          ada.delete('/articles/none/favorite'),
          ada.get('/articles/none/comments'),
          ada.post('/articles/none/comments', { comment }),
          ada.delete('/articles/none/comments/1'),
        ]);
        const missing = refused(404, { article: ['not found'] });
        expect(results).toEqual(results.map(() => missing));
      });

      it('counts each reader’s favorite once', async () => {
        const [ada, bob] = [await register(), await register()];
        const { slug } = await ada.write();
        const path = `/articles/${slug}/favorite`;
        await ada.post(path);
        await bob.post(path);
        const { body } = await bob.post(path);
        expect(body.article).toMatchObject({ favorited: true, favoritesCount: 2 });
        expect((await anybody.get(`/articles/${slug}`)).body.article.favorited).toBe(false);
        const removed = (await bob.delete(path)).body.article;
        expect(removed).toMatchObject({ favorited: false, favoritesCount: 1 });
      });
    });

    describe('comments', () => {
      it('are listed in the order of writing, and deleted by their authors', async () => {
        const [ada, bob] = [await register(), await register()];
        const path = `/articles/${(await ada.write()).slug}/comments`;
        const { status, body } = await bob.post(path, { comment: { body: 'First' } });
        expect(status).toBe(201);
        expect(body.comment).toEqual({
          id: expect.any(Number),
          body: 'First',
          createdAt: expect.stringMatching(ISO),
          updatedAt: body.comment.createdAt,
          author: { username: bob.username, bio: null, image: null, following: false },
        });
        const second = (await ada.post(path, { comment: { body: 'Second' } })).body.comment;
        expect(await anybody.get(path)).toEqual({
          status: 200,
          body: { comments: [body.comment, second] },
        });
        const ofBob = `${path}/${body.comment.id}`;
        expect(await ada.delete(ofBob)).toEqual(refused(403, { comment: ['forbidden'] }));
        expect(await bob.delete(ofBob)).toEqual({ status: 204, body: undefined });
        expect(await bob.delete(ofBob)).toEqual(refused(404, { comment: ['not found'] }));
        expect((await anybody.get(path)).body.comments).toEqual([second]);
        // A comment of another article.
        const other = await ada.write();
        expect((await ada.delete(`/articles/${other.slug}/comments/${second.id}`)).status).toBe(
          404,
        );
      });
    });

    it('lists the most used tags first', async () => {
      const ada = await register();
      const [rare, common] = [`a-${ada.username}`, `b-${ada.username}`];
      await ada.write({ tagList: [rare, common] });
      await ada.write({ tagList: [common] });
      const { tags } = (await anybody.get('/tags')).body as { tags: string[] };
      expect(tags.filter((tag) => [rare, common].includes(tag))).toEqual([common, rare]);
    });

    it('refuses what the database cannot store or find', async () => {
      const ada = await register();
      const { slug } = await ada.write();
      const article = { title: 'a', description: 'c', body: 'd' };
      const results = await Promise.all([
        ada.post('/articles', { article: { ...article, title: 'a\0b' } }),
        ada.post('/articles', { article: { ...article, tagList: ['a\0b'] } }),
        ada.post('/articles', { article: { ...article, tagList: ['a\ud800'] } }),
        ada.get('/articles?tag=a%00b'),
        ada.get('/articles?limit=0'),
        ada.get('/articles?offset=99999999999'),
        ada.delete(`/articles/${slug}/comments/99999999999`),
        ada.delete(`/articles/${slug}/comments/x`),
      ]);
      expect(results.map(({ status }) => status)).toEqual(results.map(() => 422));
    });

    it('keeps everything when it is opened again, by several processes at once', async () => {
      const ada = await register();
      const databases = await Promise.all([open(url()), open(url())]);
      for (const one of databases) {
        const again = new Client(await createApp(one));
        expect((await again.get(`/profiles/${ada.username}`)).status).toBe(200);
      }
    });
  });
}
