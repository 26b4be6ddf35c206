import { describeDeclaration } from './declaration.js';
import { ownMetadata } from './storage.js';

/**
 * Says where a controller is declared, for people.
 *
 * @param target - The class, if there is one.
 * @returns As `src/users.ts:12:1`; undefined when it is not known.
 */
export function placeOf(target: object | undefined): string | undefined {
  const controller = target === undefined ? undefined : ownMetadata(target)?.controller;
  return controller === undefined ? undefined : describeDeclaration(controller.declaration);
}
