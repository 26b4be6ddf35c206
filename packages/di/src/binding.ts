import { type CallSite, describeCaller } from '@fairlead/options';
import type { Injection } from './dependency.js';
import { Cell, type Supplier } from './instance.js';
import { type Lifetime, leaveToApplication } from './lifetime.js';
import { locationOf } from './metadata.js';
import type { Provider, Scope } from './provider.js';
import type { Token } from './token.js';

/** What a container shares with all its children. */
export interface Tree {
  /** Incremented by every registration. */
  epoch: number;
  /** Take precedence over the bindings of every container in the tree. */
  overrides: ReadonlyMap<Token, Override>;
  /** The tokens of factories whose promises have not settled, except request-scoped ones. */
  readonly pending: Map<Promise<unknown>, Token>;
}

/** The bindings that replace a token's registered providers. */
export interface Override {
  readonly bindings: readonly Binding[];
  /** Whether the bindings follow the registered ones instead of replacing them. */
  readonly adds: boolean;
  /** Whether the token was looked up or registered. */
  used: boolean;
}

/** The registry that looks up a binding's dependencies and disposes its singleton. */
export interface Owner {
  readonly lifetime: Lifetime;
  readonly tree: Tree;
  /**
   * Returns a token's bindings in the nearest container that has any, or an empty list. Those that this container
   * builds from other dependencies than its parent belong to it.
   */
  find(token: Token): readonly Binding[];
  /** Lists the tokens registered in this container. */
  tokens(): Token[];
  /** Lists the tokens registered in this container and its parents. */
  registeredTokens(): Token[];
}

/** The dependency of one parameter, with the bindings that provide it. */
export interface Edge {
  readonly injection: Injection;
  /** The index of the parameter, counted from 0. */
  readonly parameter: number;
  /** Empty for an optional token that nothing provides, and for a lazy edge until it is followed. */
  readonly targets: readonly Binding[];
}

/** How to get an instance of a binding. */
export interface Plan {
  readonly supplier: Supplier;
  /** The path from the binding to a request-scoped instance that it would hold, if any. */
  readonly requestPath: readonly Token[] | undefined;
}

/** What is known about a binding until the next registration. */
interface Known {
  readonly epoch: number;
  plan?: Plan;
  /** The edges of all parameters. */
  edges?: readonly Edge[];
}

/** One provider of one token in one container. */
export class Binding {
  /** Holds the singleton. Unused in the other scopes. */
  cell = new Cell();
  /** Whether its registration replaced another one in the same container. */
  replaces = false;
  /** Whether it replaced a different one, and not in a test that takes snapshots. */
  overwrites = false;
  /** Whether no call of `register` or `override` has created it. */
  implicit = false;
  #known: Known = { epoch: -1 };

  constructor(
    readonly token: Token,
    readonly provider: Provider,
    readonly scope: Scope,
    readonly owner: Owner,
    /** Whether `initialize` builds the singleton. */
    readonly eager = false,
    /** Where the provider was registered, if it is not a class. */
    readonly site?: CallSite,
  ) {
    if (!('useValue' in provider)) return;
    this.cell.fill(provider.useValue);
    leaveToApplication(provider.useValue);
  }

  /** Where the class is decorated or the provider was registered; undefined if unknown. */
  get location(): string | undefined {
    if ('useClass' in this.provider) return locationOf(this.provider.useClass);
    return this.site && describeCaller(this.site);
  }

  get known(): Known {
    const { epoch } = this.owner.tree;
    if (this.#known.epoch !== epoch) this.#known = { epoch };
    return this.#known;
  }
}
