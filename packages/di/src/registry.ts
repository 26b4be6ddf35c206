import { Binding, type Owner } from './binding.js';
import { Lifetime } from './lifetime.js';
import { serviceDefinition } from './metadata.js';
import type { Provider, RegisterOptions, Scope } from './provider.js';
import type { Class, Token } from './token.js';

/** The providers and singletons of one container at one time, as `snapshot()` returns them. */
export class Snapshot {
  readonly #apply: () => void;

  constructor(apply: () => void) {
    this.#apply = apply;
  }

  /** Puts them back. */
  apply(): void {
    this.#apply();
  }
}

/** The providers of one container. */
export class Registry implements Owner {
  readonly lifetime = new Lifetime();
  readonly tree: { epoch: number };
  readonly #parent: Registry | undefined;
  #registered = new Map<Token, readonly Binding[]>();
  /** Classes that nobody registered, but that say themselves how they are built. */
  #implied = new Map<Token, readonly Binding[]>();

  constructor(parent?: Registry) {
    this.#parent = parent;
    this.tree = parent?.tree ?? { epoch: 0 };
  }

  /** Adds a provider that `checkProvider` has passed. */
  add(token: Token, provider: Provider, { scope, multi = false }: RegisterOptions): void {
    this.lifetime.assertOpen(token);
    const binding = new Binding(token, provider, scope ?? defaultScope(provider), this);
    const earlier = multi ? (this.#registered.get(token) ?? []) : [];
    this.#registered.set(token, [...earlier, binding]);
    this.tree.epoch++;
  }

  find(token: Token): readonly Binding[] {
    const found = this.#registered.get(token);
    if (found !== undefined) return found;
    return this.#parent === undefined ? this.#imply(token) : this.#parent.find(token);
  }

  /** Every token that was registered here, in order. */
  tokens(): Token[] {
    return [...this.#registered.keys()];
  }

  /** @throws {DisposedError} When this container or one above it is disposed. */
  assertOpen(token: Token): void {
    this.lifetime.assertOpen(token);
    this.#parent?.assertOpen(token);
  }

  snapshot(): Snapshot {
    const registered = new Map(this.#registered);
    const implied = new Map(this.#implied);
    const bindings = [...registered.values(), ...implied.values()].flat();
    const cells = bindings.map((each) => ({ each, cell: each.cell.empty ? undefined : each.cell }));
    return new Snapshot(() => {
      this.#registered = new Map(registered);
      this.#implied = new Map(implied);
      for (const { each, cell } of cells) each.restoreCell(cell);
      this.tree.epoch++;
    });
  }

  #imply(token: Token): readonly Binding[] {
    if (typeof token !== 'function') return [];
    const known = this.#implied.get(token);
    if (known !== undefined) return known;
    if (!describesItself(token)) return [];
    const provider = { useClass: token } as Provider;
    const bindings = [new Binding(token, provider, defaultScope(provider), this)];
    this.#implied.set(token, bindings);
    return bindings;
  }
}

function describesItself(target: Class): boolean {
  return serviceDefinition(target) !== undefined || Object.hasOwn(target, 'inject');
}

function defaultScope(provider: Provider): Scope {
  if ('useExisting' in provider) return 'transient';
  if (!('useClass' in provider)) return 'singleton';
  return serviceDefinition(provider.useClass)?.scope ?? 'singleton';
}
