import { expect, it } from 'vitest';
import { chooseNames } from './names.js';
import { referenceTo } from './reference.js';

const targetOf = (name: string) => referenceTo(['components', 'schemas', name]);

/** Returns the names of declarations that clients receive. */
const namesOf = (targets: readonly string[]) =>
  [...chooseNames(targets, () => false).values()].map(({ received }) => received);

it.each([
  ['user', 'User'],
  ['payment_intent', 'PaymentIntent'],
  ['naïve-type', 'NaïveType'],
  ['2fa', '_2fa'],
  ['…', '_'],
  ['a/b~c%20', 'ABC20'],
  ['Blob', 'BlobSchema'],
  ['Api', 'ApiSchema'],
])('the name of the schema %s is the identifier %s', (name, identifier) => {
  expect(namesOf([targetOf(name)])).toEqual([identifier]);
});

it('the name of a reference into another schema has the words of its keys', () => {
  expect(namesOf(['#/components/schemas/User/properties/address'])).toEqual(['UserAddress']);
});

it('no two declarations have the same name', () => {
  expect(namesOf(['user', 'User', 'user_'].map(targetOf))).toEqual(['User', 'User2', 'User3']);
});

it('a schema with two declarations has two names, of which that of another schema is none', () => {
  const targets = ['Value', 'ValueInput'].map(targetOf);
  const names = chooseNames(targets, (target) => target === targets[0]);
  expect([...names.values()]).toEqual([
    { received: 'Value', sent: 'ValueInput2' },
    { received: 'ValueInput', sent: 'ValueInput' },
  ]);
});
