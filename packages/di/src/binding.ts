import type { Injection } from './dependency.js';
import type { Lifetime } from './lifetime.js';
import type { Provider, Scope } from './provider.js';
import { Cell } from './resolution/cell.js';
import type { Supplier } from './resolution/supplier.js';
import type { Token } from './token.js';

/** Where a binding's dependencies are looked up, and where its singleton is kept. */
export interface Owner {
  readonly lifetime: Lifetime;
  /** Shared by a container and all its children; `epoch` grows with each registration. */
  readonly tree: { epoch: number };
  /** The bindings of a token, nearest container first; empty when nothing provides it. */
  find(token: Token): readonly Binding[];
}

/** Where one parameter of a binding leads. */
export interface Edge {
  readonly injection: Injection;
  /** Which of the binding's parameters it is, counted from 0. */
  readonly parameter: number;
  /** Empty when nothing provides an optional token, and for a lazy edge until it is followed. */
  readonly targets: readonly Binding[];
}

/** How to get an instance of a binding, worked out for one epoch. */
export interface Plan {
  readonly epoch: number;
  readonly supply: Supplier;
  /** From the binding to a request-scoped one that its instance would hold, if any. */
  readonly requestPath: readonly Token[] | undefined;
}

/** One provider of one token in one container. */
export class Binding {
  /** The singleton; unused in the other scopes. */
  cell = new Cell();
  #plan: Plan | undefined;
  #edges: readonly Edge[] | undefined;
  #edgesEpoch = -1;

  constructor(
    readonly token: Token,
    readonly provider: Provider,
    readonly scope: Scope,
    readonly owner: Owner,
  ) {
    if ('useValue' in provider) this.cell.fill(provider.useValue);
  }

  /** The plan, unless a registration has made it stale. */
  get plan(): Plan | undefined {
    return this.#plan?.epoch === this.owner.tree.epoch ? this.#plan : undefined;
  }

  set plan(plan: Plan | undefined) {
    this.#plan = plan;
  }

  /** Where all parameters lead, unless a registration may have changed it. */
  get edges(): readonly Edge[] | undefined {
    return this.#edgesEpoch === this.owner.tree.epoch ? this.#edges : undefined;
  }

  set edges(edges: readonly Edge[]) {
    this.#edges = edges;
    this.#edgesEpoch = this.owner.tree.epoch;
  }

  /** Puts an earlier singleton back, or forgets the one there is. */
  restoreCell(cell: Cell | undefined): void {
    this.cell = cell ?? new Cell();
  }
}
