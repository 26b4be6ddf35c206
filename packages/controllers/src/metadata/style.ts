/** Writes a decorator, such as `@Get('/:id')`, as a controller of one style calls it. */
export type Spell = (decorator: string) => string;

/** How a controller is written: its words in messages, and what follows from its form. */
export interface Style {
  /** What creates it. */
  readonly origin: string;
  /** What it is; continues a sentence that begins with its name. */
  readonly nature: string;
  readonly controller: 'class' | 'controller';
  readonly route: 'method' | 'route';
  readonly spell: Spell;
  /** What is wrong with a decorator in a wrong place; continues a sentence that ends with the place. */
  readonly cannotTake: string;
  /** The fix for a controller without routes. Default: that of `NoRoutesError`. */
  readonly addRoute?: string;
  /** The fix for a controller that its file does not export. */
  readonly exportIt: (name: string) => string;
  /** The fix for a route that lacks a guard. */
  readonly addGuard: (guard: string) => string;
  /** Whether a file has one controller of a name. */
  readonly isNameUnique: boolean;
  /** Whether each decorator has its own place in the source. */
  readonly hasPlaces: boolean;
  /** Whether the compiler applies decorators, so that what they return replaces the controller, and what they throw ends the import. */
  readonly takesResults: boolean;
  /** Whether a mistake explains a lack of routes: of a member, or of the whole controller. */
  readonly explainsLack: (member: string | symbol | undefined) => boolean;
}

/** The style of classes with decorators. */
export const CLASS_STYLE: Style = Object.freeze({
  origin: '@Controller()',
  nature: 'has @Controller()',
  controller: 'class',
  route: 'method',
  spell: (decorator: string) => decorator,
  cannotTake: 'cannot decorate',
  exportIt: (name: string) => `export ${name}, or remove @Controller().`,
  addGuard: (guard: string) => `decorate the class or the method with @UseGuard(${guard})`,
  isNameUnique: true,
  hasPlaces: true,
  takesResults: true,
  explainsLack: (member: string | symbol | undefined) => member !== undefined,
} as const);
