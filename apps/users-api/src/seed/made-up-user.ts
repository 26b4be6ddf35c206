import type { CreateUserInput } from '../users/user.js';

const FIRST = ['Ada', 'Alan', 'Barbara', 'Claude', 'Donald', 'Edsger', 'Frances', 'Grace'];
const LAST = ['Allen', 'Dijkstra', 'Hopper', 'Knuth', 'Liskov', 'Lovelace', 'Shannon', 'Turing'];

/**
 * Makes up a user; the same number always gives the same one.
 *
 * @param number - 1 or more.
 * @see RFC 2606 §3 for the domain, which nobody has.
 */
export function madeUpUser(number: number): CreateUserInput {
  const first = FIRST[number % FIRST.length] ?? '';
  const last = LAST[Math.floor(number / FIRST.length) % LAST.length] ?? '';
  const email = `${first}.${last}.${number}@example.com`.toLowerCase();
  return { name: `${first} ${last}`, email };
}
