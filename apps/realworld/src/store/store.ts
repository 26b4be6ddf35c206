import { z } from 'zod';
import type { Database } from './database.ts';

/** What the databases return. The schemas make up for the differences: SQLite has no booleans, times or arrays. */
const Flag = z.coerce.boolean();
const Time = z.coerce.date().transform((date) => date.toISOString());
const Nullable = z.string().transform((text) => (text === '' ? null : text));
const Tags = z.preprocess(
  (tags) => (typeof tags === 'string' ? JSON.parse(tags) : tags),
  z.array(z.string()),
);

const UserRow = z.object({
  id: z.int(),
  username: z.string(),
  email: z.string(),
  passwordHash: z.string(),
  bio: Nullable,
  image: Nullable,
});

const ProfileRow = UserRow.pick({ username: true, bio: true, image: true }).extend({
  following: Flag,
});

const SummaryRow = ProfileRow.extend({
  slug: z.string(),
  title: z.string(),
  description: z.string(),
  tagList: Tags,
  createdAt: Time,
  updatedAt: Time,
  favorited: Flag,
  favoritesCount: z.coerce.number(),
});

const ArticleRow = SummaryRow.extend({ body: z.string() });

const CommentRow = ProfileRow.extend({
  id: z.int(),
  body: z.string(),
  createdAt: Time,
  updatedAt: Time,
});

export type User = z.infer<typeof UserRow>;

/** Who reads: the ID of a user, or null. */
type Reader = number | null;

interface NewUser {
  readonly username: string;
  readonly email: string;
  readonly passwordHash: string;
}

/** Some of the members. */
type Changes<Row> = { readonly [Name in keyof Row]?: Row[Name] | undefined };

/** An empty `bio` or `image` removes it. */
type UserChanges = Changes<NewUser & { bio: string; image: string }>;

interface NewArticle {
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  readonly body: string;
  readonly tagList: readonly string[];
}

/** Restricts a list of articles. */
type Filter = Changes<{
  tag: string;
  author: string;
  /** The name of a user whose favorites to list. */
  favorited: string;
  /** The ID of a user who follows the authors. */
  follower: number;
}>;

export type Store = ReturnType<typeof createStore>;

/** Stores users, articles and comments. A missing row is undefined, and a write without effect returns false. */
export function createStore(database: Database) {
  const { read, write } = database;
  const now = () => new Date().toISOString();

  return {
    async findUser(id: number) {
      return UserRow.optional().parse((await read('userById', id))[0]);
    },
    async findUserByEmail(email: string) {
      return UserRow.optional().parse((await read('userByEmail', email))[0]);
    },
    /** @throws {TakenError} When another user has the name or the address. */
    async addUser({ username, email, passwordHash }: NewUser): Promise<User> {
      const row = await write('addUser', username, email, passwordHash);
      return { ...Id.parse(row), username, email, passwordHash, bio: null, image: null };
    },
    /** @throws {TakenError} When another user has the name or the address. */
    async updateUser(id: number, changes: UserChanges): Promise<User> {
      const {
        username = null,
        email = null,
        passwordHash = null,
        bio = null,
        image = null,
      } = changes;
      await write('updateUser', id, username, email, passwordHash, bio, image);
      return UserRow.parse((await read('userById', id))[0]);
    },

    async findProfile(username: string, reader: Reader) {
      const row = (await read('profile', reader, username))[0];
      return ProfileRow.optional().parse(row);
    },
    follow: (follower: number, username: string) => write('follow', follower, username),
    unfollow: (follower: number, username: string) => write('unfollow', follower, username),

    async listArticles(filter: Filter, reader: Reader, limit: number, offset: number) {
      const { tag = null, author = null, favorited = null, follower = null } = filter;
      const filters = [tag, author, favorited, follower];
      const [rows, counts] = await Promise.all([
        read('articles', reader, ...filters, limit, offset),
        read('countArticles', ...filters),
      ]);
      const articles = rows.map((row) => withAuthor(SummaryRow.parse(row)));
      return { articles, articlesCount: Count.parse(counts[0]).count };
    },
    async findArticle(slug: string, reader: Reader) {
      const row = ArticleRow.optional().parse((await read('article', reader, slug))[0]);
      return row && withAuthor(row);
    },
    /** @throws {TakenError} When another article has the slug. */
    async addArticle(author: number, { slug, title, description, body, tagList }: NewArticle) {
      const tags = JSON.stringify(tagList);
      await write('addArticle', author, slug, title, description, body, tags, now());
    },
    /** @throws {TakenError} When another article has the new slug. */
    async updateArticle(author: number, slug: string, changes: Changes<NewArticle>) {
      const { slug: newSlug = null, title = null, description = null, body = null } = changes;
      const tags = changes.tagList === undefined ? null : JSON.stringify(changes.tagList);
      const texts = [newSlug, title, description, body, tags];
      return (await write('updateArticle', author, slug, ...texts, now())) !== undefined;
    },
    async deleteArticle(author: number, slug: string) {
      return (await write('deleteArticle', author, slug)) !== undefined;
    },
    favorite: (reader: number, slug: string) => write('favorite', reader, slug),
    unfavorite: (reader: number, slug: string) => write('unfavorite', reader, slug),

    async listComments(slug: string, reader: Reader) {
      const rows = await read('comments', reader, slug);
      return rows.map((row) => withAuthor(CommentRow.parse(row)));
    },
    async findComment(slug: string, id: number, reader: Reader) {
      const row = CommentRow.optional().parse((await read('comment', reader, slug, id))[0]);
      return row && withAuthor(row);
    },
    /** Returns the ID of the comment, unless there is no such article. */
    async addComment(author: number, slug: string, body: string) {
      return Id.optional().parse(await write('addComment', author, slug, body, now()))?.id;
    },
    async deleteComment(author: number, slug: string, id: number) {
      return (await write('deleteComment', author, slug, id)) !== undefined;
    },

    async listTags() {
      return (await read('tags')).map((row) => Tag.parse(row).tag);
    },
  };
}

const Id = z.object({ id: z.int() });
const Count = z.object({ count: z.coerce.number() });
const Tag = z.object({ tag: z.string() });

/** Moves the columns of the author into an object. */
function withAuthor<Row extends z.infer<typeof ProfileRow>>({
  username,
  bio,
  image,
  following,
  ...rest
}: Row) {
  return { ...rest, author: { username, bio, image, following } };
}
