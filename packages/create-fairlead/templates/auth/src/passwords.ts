import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** Costs that the OWASP Password Storage Cheat Sheet recommends. A hash takes 32 MiB. */
const COSTS = { N: 2 ** 15, r: 8, p: 3 };
const MAX_MEMORY = 64 * 1024 * 1024;

/** Hashes a password with a random salt. The result contains the costs, so you can raise them later. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password.normalize('NFKC'), salt, 32, { ...COSTS, maxmem: MAX_MEMORY });
  return [COSTS.N, COSTS.r, COSTS.p, salt.toString('hex'), key.toString('hex')].join('$');
}

/** Whether a password has this hash. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const [N, r, p, salt = '', key = ''] = hash.split('$');
  const costs = { N: Number(N), r: Number(r), p: Number(p), maxmem: MAX_MEMORY };
  const derived = await derive(password.normalize('NFKC'), Buffer.from(salt, 'hex'), 32, costs);
  return timingSafeEqual(derived, Buffer.from(key, 'hex'));
}
