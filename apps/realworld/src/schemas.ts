import { z } from 'zod';

// What clients send. Members that a schema does not name are ignored.

const BLANK = "can't be blank";

/** Text of at least one character. PostgreSQL cannot store NUL, nor lone surrogates in JSON. */
const text = (maximum: number) =>
  z
    .string({ error: ({ input }) => (input == null ? BLANK : 'must be a string') })
    .trim()
    .min(1, BLANK)
    .max(maximum, `is too long (maximum is ${maximum} characters)`)
    .refine((value) => value.isWellFormed() && !value.includes('\0'), 'is invalid');

/** Text that may be empty or null, which means none. */
const optionalText = (maximum: number) =>
  z.union([z.literal(''), z.null(), text(maximum)]).transform((value) => value ?? '');

const Username = text(50);
const Email = text(254)
  .toLowerCase()
  .regex(/^$|^[^\s@]+@[^\s@]+$/, 'is invalid');
const Password = text(200).min(8, 'is too short (minimum is 8 characters)');

export const Credentials = z.object({
  user: z.object({ email: text(254).toLowerCase(), password: text(200) }),
});

export const NewUser = z.object({
  user: z.object({ username: Username, email: Email, password: Password }),
});

export const UserChanges = z.object({
  user: NewUser.shape.user.partial().extend({
    bio: optionalText(2_000).optional(),
    image: optionalText(2_000).optional(),
  }),
});

/** In alphabetical order, as the API tests of RealWorld expect. */
const Tags = z
  .array(text(50))
  .max(20)
  .transform((tags) => [...new Set(tags)].sort());

export const NewArticle = z.object({
  article: z.object({
    title: text(200),
    description: text(1_000),
    body: text(100_000),
    tagList: Tags.default([]),
  }),
});

export const ArticleChanges = z.object({
  article: NewArticle.shape.article.extend({ tagList: Tags }).partial(),
});

export const NewComment = z.object({ comment: z.object({ body: text(10_000) }) });

const Integer = z.coerce.number().int().max(2_147_483_647);

export const Page = z.object({
  limit: Integer.min(1).max(100).default(20),
  offset: Integer.min(0).default(0),
});

export const ArticleQuery = Page.extend({
  tag: text(50).optional(),
  author: Username.optional(),
  favorited: Username.optional(),
});

export const ProfilePath = z.object({ username: Username });
export const ArticlePath = z.object({ slug: text(300) });
export const CommentPath = ArticlePath.extend({ id: Integer.min(1) });

// What clients receive. Members that a schema does not name never leave the server.

export const User = z
  .object({
    email: z.string(),
    token: z.string(),
    username: z.string(),
    bio: z.string().nullable(),
    image: z.string().nullable(),
  })
  .meta({ id: 'User' });

export const Profile = User.omit({ email: true, token: true })
  .extend({ following: z.boolean() })
  .meta({ id: 'Profile' });

/** An article without its body, as in lists. */
export const Summary = z
  .object({
    slug: z.string(),
    title: z.string(),
    description: z.string(),
    tagList: z.array(z.string()),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    favorited: z.boolean(),
    favoritesCount: z.int(),
    author: Profile,
  })
  .meta({ id: 'Summary' });

export const Article = Summary.extend({ body: z.string() }).meta({ id: 'Article' });

export const Comment = z
  .object({
    id: z.int(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    body: z.string(),
    author: Profile,
  })
  .meta({ id: 'Comment' });

export const Errors = z
  .object({ errors: z.record(z.string(), z.array(z.string())) })
  .meta({ id: 'Errors' });

export const UserResponse = z.object({ user: User });
export const ProfileResponse = z.object({ profile: Profile });
export const ArticleResponse = z.object({ article: Article });
export const ArticlesResponse = z.object({ articles: z.array(Summary), articlesCount: z.int() });
export const CommentResponse = z.object({ comment: Comment });
export const CommentsResponse = z.object({ comments: z.array(Comment) });
export const TagsResponse = z.object({ tags: z.array(z.string()) });
