import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** Hashes passwords with scrypt. A hash contains its costs, so you can raise them later. */
export class Passwords {
  readonly #cost: number;

  /** @param cost - A power of 2. The default is what the OWASP Password Storage Cheat Sheet recommends. */
  constructor(cost = 2 ** 15) {
    this.#cost = cost;
  }

  async hash(password: string): Promise<string> {
    const costs = { N: this.#cost, r: 8, p: 3 };
    const salt = randomBytes(16);
    const key = await deriveKey(password, salt, costs);
    return [costs.N, costs.r, costs.p, salt.toString('hex'), key.toString('hex')].join('$');
  }

  async verify(password: string, hash: string): Promise<boolean> {
    const [N, r, p, salt = '', key = ''] = hash.split('$');
    const costs = { N: Number(N), r: Number(r), p: Number(p) };
    const derived = await deriveKey(password, Buffer.from(salt, 'hex'), costs);
    return timingSafeEqual(derived, Buffer.from(key, 'hex'));
  }
}

function deriveKey(password: string, salt: Buffer, costs: ScryptOptions): Promise<Buffer> {
  // The default cost needs 32 MiB.
  return derive(password.normalize('NFKC'), salt, 32, { ...costs, maxmem: 64 * 1024 * 1024 });
}
