/**
 * The SQL of both databases. A placeholder is `?1` in SQLite; `postgres.ts` writes it as `$1`.
 *
 * Each write is one statement, so none needs a transaction, and no concurrent request can come between a check and the
 * change that depends on it.
 */

const PROFILE = `users.username, users.bio, users.image,
  EXISTS (SELECT 1 FROM follows WHERE follower = ?1 AND followed = users.id) AS following`;

/** `?1` is the reader, or null. */
const ARTICLE = `articles.slug, articles.title, articles.description, articles.tags AS "tagList",
  articles.created_at AS "createdAt", articles.updated_at AS "updatedAt",
  EXISTS (SELECT 1 FROM favorites WHERE reader = ?1 AND article = articles.id) AS favorited,
  (SELECT count(*) FROM favorites WHERE article = articles.id) AS "favoritesCount",
  ${PROFILE}`;

const FROM_ARTICLES = 'FROM articles JOIN users ON users.id = articles.author';

/** A parameter that is null does not restrict the list. */
const FILTER = `
  (CAST(?1 AS TEXT) IS NULL OR articles.id IN (SELECT article FROM article_tags WHERE tag = ?1))
  AND (CAST(?2 AS TEXT) IS NULL OR users.username = ?2)
  AND (CAST(?3 AS TEXT) IS NULL OR articles.id IN (
    SELECT article FROM favorites JOIN users ON users.id = reader WHERE users.username = ?3))
  AND (CAST(?4 AS INTEGER) IS NULL OR articles.author IN (
    SELECT followed FROM follows WHERE follower = ?4))`;

/** The filter, with its parameters after that of the reader. */
const FILTER_AFTER_READER = FILTER.replace(/\?(\d)/g, (_, number) => `?${Number(number) + 1}`);

const USER = 'SELECT id, username, email, password_hash AS "passwordHash", bio, image FROM users';

const COMMENT = `SELECT comments.id, comments.body, comments.created_at AS "createdAt",
  comments.created_at AS "updatedAt", ${PROFILE}
  FROM comments JOIN users ON users.id = comments.author
  WHERE comments.article = (SELECT id FROM articles WHERE slug = ?2)`;

export const READS = {
  userById: `${USER} WHERE id = ?1`,
  userByEmail: `${USER} WHERE email = ?1`,
  profile: `SELECT ${PROFILE} FROM users WHERE username = ?2`,
  article: `SELECT ${ARTICLE}, articles.body ${FROM_ARTICLES} WHERE articles.slug = ?2`,
  articles: `SELECT ${ARTICLE} ${FROM_ARTICLES} WHERE ${FILTER_AFTER_READER}
    ORDER BY articles.id DESC LIMIT ?6 OFFSET ?7`,
  countArticles: `SELECT count(*) AS count ${FROM_ARTICLES} WHERE ${FILTER}`,
  comments: `${COMMENT} ORDER BY comments.id`,
  comment: `${COMMENT} AND comments.id = ?3`,
  tags: 'SELECT tag FROM article_tags GROUP BY tag ORDER BY count(*) DESC, tag',
};

export const WRITES = {
  addUser: 'INSERT INTO users (username, email, password_hash) VALUES (?1, ?2, ?3) RETURNING id',
  updateUser: `UPDATE users SET username = coalesce(?2, username), email = coalesce(?3, email),
    password_hash = coalesce(?4, password_hash), bio = coalesce(?5, bio), image = coalesce(?6, image)
    WHERE id = ?1 RETURNING id`,
  follow: `INSERT INTO follows (follower, followed)
    SELECT CAST(?1 AS INTEGER), id FROM users WHERE username = ?2 ON CONFLICT DO NOTHING`,
  unfollow: `DELETE FROM follows
    WHERE follower = ?1 AND followed = (SELECT id FROM users WHERE username = ?2)`,
  addArticle: `INSERT INTO articles (author, slug, title, description, body, tags, created_at, updated_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7) RETURNING slug`,
  updateArticle: `UPDATE articles SET slug = coalesce(?3, slug), title = coalesce(?4, title),
    description = coalesce(?5, description), body = coalesce(?6, body), tags = coalesce(?7, tags),
    updated_at = ?8
    WHERE author = ?1 AND slug = ?2 RETURNING slug`,
  deleteArticle: 'DELETE FROM articles WHERE author = ?1 AND slug = ?2 RETURNING id',
  favorite: `INSERT INTO favorites (reader, article)
    SELECT CAST(?1 AS INTEGER), id FROM articles WHERE slug = ?2 ON CONFLICT DO NOTHING`,
  unfavorite: `DELETE FROM favorites
    WHERE reader = ?1 AND article = (SELECT id FROM articles WHERE slug = ?2)`,
  addComment: `INSERT INTO comments (author, article, body, created_at)
    SELECT CAST(?1 AS INTEGER), id, ?3, ?4 FROM articles WHERE slug = ?2 RETURNING id`,
  deleteComment: `DELETE FROM comments WHERE author = ?1
    AND article = (SELECT id FROM articles WHERE slug = ?2) AND id = ?3 RETURNING id`,
};
