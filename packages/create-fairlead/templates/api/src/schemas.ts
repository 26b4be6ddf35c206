import { z } from 'zod';

export const Task = z
  .object({ id: z.int(), title: z.string(), done: z.boolean(), createdAt: z.iso.datetime() })
  .meta({ id: 'Task' });
// biome-ignore lint/correctness/noUnusedVariables: One of two remains. #if !postgres
const Title = z.string().trim().min(1).max(200);
// #endif
// biome-ignore lint/suspicious/noRedeclare: One of two remains. #if postgres
const Title = z
  .string()
  .trim()
  .min(1)
  .max(200)
  // PostgreSQL cannot store NUL.
  .regex(/^[^\0]*$/);
// #endif
export const NewTask = z.object({ title: Title }).meta({ id: 'NewTask' });
export const TaskChanges = NewTask.extend({ done: z.boolean() })
  .partial()
  .meta({ id: 'TaskChanges' });

export type Task = z.infer<typeof Task>;
export type NewTask = z.infer<typeof NewTask>;
export type TaskChanges = z.infer<typeof TaskChanges>;
// #if auth

export const Role = z.enum(['user', 'admin']);
export const Account = z
  .object({ id: z.int(), email: z.string(), role: Role })
  .meta({ id: 'Account' });
export const Credentials = z.object({
  email: z.email().max(254).toLowerCase(),
  password: z.string().min(12).max(128),
});
/** Accepts any password, so that new rules do not lock anyone out. */
export const SignIn = Credentials.extend({ password: z.string() });
export const Refresh = z.object({ refreshToken: z.string().regex(/^[\w-]{36}\.[\w-]{43}$/) });
export const Token = z
  .object({ token: z.string(), expiresIn: z.int().describe('Seconds'), refreshToken: z.string() })
  .meta({ id: 'Token' });

export type Role = z.infer<typeof Role>;
export type Account = z.infer<typeof Account>;
export type Credentials = z.infer<typeof Credentials>;
export type Refresh = z.infer<typeof Refresh>;
// #endif
