import type { Style } from '../metadata/style.js';

/** The style of `defineController()`, which takes decorators as `metadata`. */
export const VALUE_STYLE: Style = Object.freeze({
  origin: 'defineController()',
  nature: 'is the result of defineController()',
  controller: 'controller',
  route: 'route',
  spell: (decorator: string) => decorator.replace(/^@/, ''),
  cannotTake: 'cannot be metadata of',
  addRoute: "return a route from routes: ({ get }) => ({ list: get('/', …) }).",
  exportIt: () => 'export it.',
  addGuard: () => 'to the guards of the controller or the route',
  isNameUnique: false,
  hasPlaces: false,
  takesResults: false,
  explainsLack: () => true,
} as const);
