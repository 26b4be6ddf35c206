import { Binding, type Owner } from './binding.js';
import { Lifetime } from './lifetime.js';
import { serviceDefinition } from './metadata.js';
import type { Provider, RegisterOptions, Scope } from './provider.js';
import type { Class, Token } from './token.js';

/** The providers and singletons of a container at one point in time, from `snapshot()`. */
export class Snapshot {
  readonly #apply: () => void;

  constructor(apply: () => void) {
    this.#apply = apply;
  }

  /** Restores them. */
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
  /** Bindings of unregistered classes with `@Service` or `static inject`. */
  #implicit = new Map<Token, readonly Binding[]>();

  constructor(parent?: Registry) {
    this.#parent = parent;
    this.tree = parent?.tree ?? { epoch: 0 };
  }

  /** Adds a provider, which `checkProvider` must have accepted. */
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
    return this.#parent === undefined ? this.#findImplicit(token) : this.#parent.find(token);
  }

  /** Lists the tokens registered in this container, in registration order. */
  tokens(): Token[] {
    return [...this.#registered.keys()];
  }

  /** @throws {DisposedError} When this container or one of its parents is disposed. */
  assertOpen(token: Token): void {
    this.lifetime.assertOpen(token);
    this.#parent?.assertOpen(token);
  }

  snapshot(): Snapshot {
    const registered = new Map(this.#registered);
    const implicit = new Map(this.#implicit);
    const bindings = [...registered.values(), ...implicit.values()].flat();
    const cells = bindings.map((binding) => ({
      binding,
      cell: binding.cell.empty ? undefined : binding.cell,
    }));
    return new Snapshot(() => {
      this.#registered = new Map(registered);
      this.#implicit = new Map(implicit);
      for (const { binding, cell } of cells) binding.restoreCell(cell);
      this.tree.epoch++;
    });
  }

  #findImplicit(token: Token): readonly Binding[] {
    if (typeof token !== 'function') return [];
    const found = this.#implicit.get(token);
    if (found !== undefined) return found;
    if (!isInjectable(token)) return [];
    const provider = { useClass: token } as Provider;
    const bindings = [new Binding(token, provider, defaultScope(provider), this)];
    this.#implicit.set(token, bindings);
    return bindings;
  }
}

function isInjectable(target: Class): boolean {
  return serviceDefinition(target) !== undefined || Object.hasOwn(target, 'inject');
}

function defaultScope(provider: Provider): Scope {
  if ('useExisting' in provider) return 'transient';
  if (!('useClass' in provider)) return 'singleton';
  return serviceDefinition(provider.useClass)?.scope ?? 'singleton';
}
