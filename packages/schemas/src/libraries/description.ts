/** The kinds of values that schemas tell apart. `any` stands for values of every kind. */
export type Kind =
  | 'any'
  | 'string'
  | 'number'
  | 'boolean'
  | 'bigint'
  | 'date'
  | 'file'
  | 'null'
  | 'undefined'
  | 'list'
  | 'object'
  | 'other';

/** A part of a schema, as its library represents it, or a kind of values. */
export type Part = unknown;

/** What a library says about one schema, in terms of the parts that it consists of. */
export type Description =
  | Kind
  /** The values that it accepts, and no others. */
  | { readonly values: readonly unknown[] }
  | { readonly anyOf: readonly Part[] }
  | { readonly allOf: readonly Part[] }
  | {
      readonly members: Iterable<readonly [name: string, part: Part]>;
      /** Describes other members; undefined if nothing does. */
      readonly rest?: Part;
      /** Names of members that may be absent, although their parts do not say so. */
      readonly optional?: ReadonlySet<string>;
    }
  | { readonly items: readonly Part[]; readonly rest?: Part }
  | {
      /** Another schema that receives the value. */
      readonly inner: Part;
      /** What the schema accepts besides. `text`: any text, which it converts. */
      readonly also?: readonly (Kind | 'text')[];
      readonly except?: Kind;
      /** Whether a function of the application receives the value first. It may expect text, or an absent value. */
      readonly isPreprocessed?: true;
      /** Whether every text that is not empty becomes true. */
      readonly isTruthy?: true;
    };

/** What a fix says for a value that no text can be, by its kind: the schema that converts text. */
export type Converters = Readonly<Partial<Record<Kind, string>>>;

/** How to read the schemas of one library. Reading never calls a function that decides about values. */
export interface Library {
  /** @returns Undefined for a part that is not a schema of the library. */
  readonly describe: (part: Part) => Description | undefined;
  readonly converters: Converters;
}
