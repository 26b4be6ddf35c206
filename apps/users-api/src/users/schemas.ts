import { z } from 'zod';
import { USER_LIMITS } from '../config.js';

const { MAX_NAME_LENGTH, MAX_EMAIL_LENGTH, MAX_PAGE_SIZE = Infinity } = USER_LIMITS;

const Time = z.iso.datetime({ precision: 3 });

/** A user, as stored and as sent to clients. */
export const User = z
  .object({
    id: z.uuid().describe('Assigned by the service'),
    name: z.string(),
    email: z.string(),
    createdAt: Time,
    updatedAt: Time.describe('Never moves backwards'),
  })
  .meta({ id: 'User' });

/** The issue of a field that a create needs. */
export const REQUIRED = 'must be a non-empty string';

/** The issue of a body that cannot have fields. */
export const NOT_AN_OBJECT = 'must be an object';

/** Limits a field and replaces what not every store can hold. */
function field(type: z.ZodString, limit: number) {
  return type
    .refine((value) => value.length <= limit, {
      error: ({ input }) => `must be at most ${limit} characters long, not ${String(input).length}`,
    })
    .overwrite(toStorable)
    .meta({ maxLength: limit });
}

// UTF-8 cannot encode lone surrogates, and PostgreSQL cannot store U+0000.
function toStorable(value: string): string {
  return value.toWellFormed().replaceAll('\0', '\ufffd');
}

const Required = z.string(REQUIRED).min(1, REQUIRED);
const Text = z.string('must be a string');

/** Fields of a new user. A body that is not an object lacks both. */
export const NewUser = z
  .preprocess(
    (body) => (typeof body === 'object' && !Array.isArray(body) ? (body ?? {}) : {}),
    z.object({
      name: field(Required, MAX_NAME_LENGTH),
      email: field(Required, MAX_EMAIL_LENGTH),
    }),
  )
  .meta({ id: 'NewUser' });

/** Changes to a user. Absent fields keep their values. */
export const UserChanges = z
  .object(
    {
      name: field(Text, MAX_NAME_LENGTH).exactOptional(),
      email: field(Text, MAX_EMAIL_LENGTH).exactOptional(),
    },
    NOT_AN_OBJECT,
  )
  .meta({ id: 'UserChanges' });

/** The page of a list whose query has only one of the parameters. */
export const DEFAULT_PAGE = { page: 1, limit: Math.min(10, MAX_PAGE_SIZE) } as const;

/** A whole number of at least 1. Any other value counts as the default, and a fraction is cut off. */
function count(name: keyof typeof DEFAULT_PAGE, meaning: string, max = Infinity) {
  const read = (value: unknown): number => {
    const whole = Math.trunc(Number(value));
    return whole >= 1 && whole < Infinity ? Math.min(whole, max) : DEFAULT_PAGE[name];
  };
  const largest = max === Infinity ? '' : ` A larger value counts as ${max}.`;
  const others = `Any other value counts as ${DEFAULT_PAGE[name]}.`;
  const description = `${meaning}, 1 or more. ${others}${largest}`;
  return z.unknown().transform(read).optional().meta({ type: 'number', description });
}

/** The query of a list. Either parameter requests a page. */
export const ListQuery = z.object({
  page: count('page', 'Page number'),
  limit: count('limit', 'Maximum number of users per page', MAX_PAGE_SIZE),
});

const One = z.object({ data: User }).meta({ id: 'UserEnvelope' });
const Everyone = z.object({ data: z.array(User), total: z.int().min(0) }).meta({ id: 'UserList' });
const Page = z
  .object({
    data: z.array(User),
    meta: z.object({ total: z.int().min(0), page: z.number().min(1), limit: z.number().min(1) }),
  })
  .meta({ id: 'UserPage' });

const IF_MATCH = 'Send the `ETag` of the user as `If-Match` to change only what you have read.';

/** What the operations have in common. */
const EVERYONE = {
  tags: ['users'],
  public: 'The example has no sign-in: everyone may call it.',
} as const;

/** Responses and documentation of the operations, which all APIs share. */
export const OPERATIONS = {
  list: {
    summary: 'List users',
    description: 'All users in order of creation, or a page of them.',
    ...EVERYONE,
    response: { 200: z.union([Everyone, Page]).meta({ id: 'Users' }) },
  },
  show: {
    summary: 'Show a user',
    description:
      'An HTML page if `Accept` contains `text/html`, and JSON otherwise. Responds with 304 if ' +
      '`If-None-Match` has the `ETag` of the user.',
    ...EVERYONE,
    response: { 200: One },
  },
  create: { summary: 'Create a user', ...EVERYONE, response: { 201: One } },
  update: {
    summary: 'Update a user',
    description: IF_MATCH,
    ...EVERYONE,
    response: { 200: One },
    errors: [412],
  },
  delete: { summary: 'Delete a user', description: IF_MATCH, ...EVERYONE, errors: [412] },
} as const;

/** Response of a delete in the APIs of controllers. */
export const Success = z.object({ success: z.literal(true) });
