import { Binding, type Override, type Owner, type Tree } from './binding.js';
import { InvalidProviderError } from './errors/lifecycle-errors.js';
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
  readonly tree: Tree;
  readonly #parent: Registry | undefined;
  #registered = new Map<Token, readonly Binding[]>();
  /** Bindings of unregistered classes with `@Service` or `static inject`. */
  #implicit = new Map<Token, readonly Binding[]>();

  constructor(parent?: Registry) {
    this.#parent = parent;
    this.tree = parent?.tree ?? { epoch: 0, overrides: new Map(), pending: new Map() };
  }

  /** Adds a provider, which `checkProvider` must have accepted. */
  add(token: Token, provider: Provider, options: RegisterOptions): void {
    this.lifetime.assertOpen(token);
    const binding = createBinding(token, provider, options, this);
    const earlier = options.multi ? (this.#registered.get(token) ?? []) : [];
    this.#registered.set(token, [...earlier, binding]);
    const override = this.tree.overrides.get(token);
    if (override !== undefined) override.used = true;
    this.tree.epoch++;
  }

  /** Adds a provider that replaces those of `add`, even later ones. With `multi`, it follows them. */
  override(token: Token, provider: Provider, options: RegisterOptions): void {
    this.lifetime.assertOpen(token);
    const binding = createBinding(token, provider, options, this);
    const { multi = false } = options;
    const earlier = multi ? this.tree.overrides.get(token) : undefined;
    const override: Override = {
      bindings: [...(earlier?.bindings ?? []), binding],
      adds: earlier?.adds ?? multi,
      used: earlier?.used ?? this.registeredTokens().includes(token),
    };
    this.tree.overrides = new Map(this.tree.overrides).set(token, override);
    this.tree.epoch++;
  }

  find(token: Token): readonly Binding[] {
    const override = this.tree.overrides.get(token);
    if (override === undefined) return this.#findProvided(token);
    override.used = true;
    return override.adds ? [...this.#findProvided(token), ...override.bindings] : override.bindings;
  }

  /** Lists the tokens registered in this container, in registration order. */
  tokens(): Token[] {
    return [...this.#registered.keys()];
  }

  /** Lists the tokens registered in this container and its parents. */
  registeredTokens(): Token[] {
    return [...this.#registered.keys(), ...(this.#parent?.registeredTokens() ?? [])];
  }

  /** Lists the unregistered classes that were looked up. */
  implicitTokens(): Token[] {
    return [...this.#implicit.keys(), ...(this.#parent?.implicitTokens() ?? [])];
  }

  /** @throws {DisposedError} When this container or one of its parents is disposed. */
  assertOpen(token: Token): void {
    this.lifetime.assertOpen(token);
    this.#parent?.assertOpen(token);
  }

  snapshot(): Snapshot {
    const registered = new Map(this.#registered);
    const implicit = new Map(this.#implicit);
    const { overrides } = this.tree;
    const overriding = [...overrides.values()].map((override) => override.bindings);
    const bindings = [...registered.values(), ...implicit.values(), ...overriding].flat();
    const cells = bindings.map((binding) => ({
      binding,
      cell: binding.cell.empty ? undefined : binding.cell,
    }));
    return new Snapshot(() => {
      this.#registered = new Map(registered);
      this.#implicit = new Map(implicit);
      this.tree.overrides = overrides;
      for (const { binding, cell } of cells) binding.restoreCell(cell);
      this.tree.epoch++;
    });
  }

  #findProvided(token: Token): readonly Binding[] {
    const found = this.#registered.get(token);
    if (found !== undefined) return found;
    return this.#parent === undefined
      ? this.#findImplicit(token)
      : this.#parent.#findProvided(token);
  }

  #findImplicit(token: Token): readonly Binding[] {
    if (typeof token !== 'function') return [];
    const found = this.#implicit.get(token);
    if (found !== undefined) return found;
    if (!isInjectable(token)) return [];
    const provider = { useClass: token } as Provider;
    const bindings = [createBinding(token, provider, {}, this)];
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

function createBinding(
  token: Token,
  provider: Provider,
  options: RegisterOptions,
  owner: Owner,
): Binding {
  const scope = options.scope ?? defaultScope(provider);
  const eager = options.eager ?? isEagerByDefault(provider);
  if (eager && scope !== 'singleton') throw InvalidProviderError.eagerScope(token, scope);
  return new Binding(token, provider, scope, owner, eager);
}

function isEagerByDefault(provider: Provider): boolean {
  return 'useClass' in provider && serviceDefinition(provider.useClass)?.eager === true;
}
