import { randomBytes } from 'node:crypto';
import { createRouter } from '@fairlead/core';
import type { Auth } from './auth.ts';
import { forbidden, notFound } from './errors.ts';
import {
  ArticleChanges,
  ArticlePath,
  ArticleQuery,
  ArticleResponse,
  ArticlesResponse,
  CommentPath,
  CommentResponse,
  CommentsResponse,
  NewArticle,
  NewComment,
  Page,
  TagsResponse,
} from './schemas.ts';
import { TakenError } from './store/database.ts';
import type { Store, User } from './store/store.ts';

/** Articles, the feed, favorites, comments and tags. */
export function createArticlesRouter(store: Store, { signedIn, maybeSignedIn }: Auth) {
  const findArticle = async (slug: string, reader: User | undefined) => {
    const article = await store.findArticle(slug, reader?.id ?? null);
    if (article === undefined) throw notFound('article');
    return article;
  };

  const toArticle = async (slug: string, reader: User | undefined) => ({
    article: await findArticle(slug, reader),
  });

  /** Throws why a user could not change an article. */
  const refuseArticle = async (slug: string, user: User) => {
    await findArticle(slug, user);
    throw forbidden('article');
  };

  const articles = { tags: ['Articles'] };
  const article = { ...articles, params: ArticlePath, response: ArticleResponse };
  const favorites = { ...article, tags: ['Favorites'] };
  const comments = { tags: ['Comments'], params: ArticlePath };

  return createRouter()
    .get(
      '/articles',
      { ...articles, summary: 'List articles', query: ArticleQuery, response: ArticlesResponse },
      maybeSignedIn,
      ({ query: { limit, offset, ...filter }, state: { user } }) =>
        store.listArticles(filter, user?.id ?? null, limit, offset),
    )
    .get(
      '/articles/feed',
      {
        ...articles,
        summary: 'List articles of followed users',
        query: Page,
        response: ArticlesResponse,
      },
      signedIn,
      ({ query: { limit, offset }, state: { user } }) =>
        store.listArticles({ follower: user.id }, user.id, limit, offset),
    )
    .post(
      '/articles',
      {
        ...articles,
        summary: 'Write an article',
        body: NewArticle,
        response: ArticleResponse,
        status: 201,
      },
      signedIn,
      async ({ body, state: { user } }) => {
        const slug = await withSlug(body.article.title, (slug) =>
          store.addArticle(user.id, { ...body.article, slug }),
        );
        return toArticle(slug, user);
      },
    )
    .get(
      '/articles/:slug',
      { ...article, summary: 'Show an article' },
      maybeSignedIn,
      ({ params, state }) => toArticle(params.slug, state.user),
    )
    .put(
      '/articles/:slug',
      { ...article, summary: 'Change an article', body: ArticleChanges },
      signedIn,
      async ({ params: { slug }, body: { article: changes }, state: { user } }) => {
        const update = async (newSlug: string) => {
          const isChanged = await store.updateArticle(user.id, slug, { ...changes, slug: newSlug });
          if (!isChanged) await refuseArticle(slug, user);
        };
        const { title } = await findArticle(slug, user);
        // A new title makes a new slug.
        if (changes.title !== undefined && changes.title !== title) {
          return toArticle(await withSlug(changes.title, update), user);
        }
        await update(slug);
        return toArticle(slug, user);
      },
    )
    .delete(
      '/articles/:slug',
      {
        ...articles,
        params: ArticlePath,
        summary: 'Delete an article',
        status: 204,
      },
      signedIn,
      async ({ params: { slug }, state: { user } }) => {
        if (!(await store.deleteArticle(user.id, slug))) await refuseArticle(slug, user);
      },
    )
    .post(
      '/articles/:slug/favorite',
      { ...favorites, summary: 'Favorite an article' },
      signedIn,
      async ({ params: { slug }, state: { user } }) => {
        await store.favorite(user.id, slug);
        return toArticle(slug, user);
      },
    )
    .delete(
      '/articles/:slug/favorite',
      { ...favorites, summary: 'Unfavorite an article' },
      signedIn,
      async ({ params: { slug }, state: { user } }) => {
        await store.unfavorite(user.id, slug);
        return toArticle(slug, user);
      },
    )
    .get(
      '/articles/:slug/comments',
      { ...comments, summary: 'List comments', response: CommentsResponse },
      maybeSignedIn,
      async ({ params: { slug }, state: { user } }) => {
        await findArticle(slug, user);
        return { comments: await store.listComments(slug, user?.id ?? null) };
      },
    )
    .post(
      '/articles/:slug/comments',
      { ...comments, summary: 'Comment', body: NewComment, response: CommentResponse, status: 201 },
      signedIn,
      async ({ params: { slug }, body, state: { user } }) => {
        const id = await store.addComment(user.id, slug, body.comment.body);
        const comment = id && (await store.findComment(slug, id, user.id));
        if (!comment) throw notFound('article');
        return { comment };
      },
    )
    .delete(
      '/articles/:slug/comments/:id',
      { ...comments, params: CommentPath, summary: 'Delete a comment', status: 204 },
      signedIn,
      async ({ params: { slug, id }, state: { user } }) => {
        if (await store.deleteComment(user.id, slug, id)) return;
        await findArticle(slug, user);
        const isOfOther = (await store.findComment(slug, id, user.id)) !== undefined;
        throw isOfOther ? forbidden('comment') : notFound('comment');
      },
    )
    .get('/tags', { tags: ['Tags'], summary: 'List tags', response: TagsResponse }, async () => ({
      tags: await store.listTags(),
    }));
}

/** Writes with a slug of the title, or with a suffix if that is taken. Returns the slug. */
async function withSlug(title: string, write: (slug: string) => Promise<void>): Promise<string> {
  const words = title.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? ['article'];
  const slug = words.join('-');
  // GET /articles/feed is another route.
  if (slug !== 'feed') {
    try {
      await write(slug);
      return slug;
    } catch (error) {
      if (!(error instanceof TakenError)) throw error;
    }
  }
  const unique = `${slug}-${randomBytes(6).toString('hex')}`;
  await write(unique);
  return unique;
}
