import type { Constructor } from '@fairlead/di';
import { findMistakes } from '../checks/rules.js';
import { type ControllerDefinition, definitionOf } from '../definition/definition.js';
import { throwProblems } from '../errors.js';
import { undiscovered } from '../metadata/class-metadata.js';

/** Keeps one definition per controller class. */
export class ControllerRegistry {
  readonly #definitions = new Map<Constructor, ControllerDefinition>();
  readonly #isInPath: boolean;

  /** @param isInPath - Whether versions are part of paths, which is the default. Otherwise, requests name them. */
  constructor(isInPath = true) {
    this.#isInPath = isInPath;
  }

  /**
   * Reads, checks and keeps the definition of a class.
   *
   * @param target - A class with `@Controller()`. A registered class keeps its definition.
   * @returns The frozen definition.
   * @throws {NotAControllerError} 500, when the class does not itself have `@Controller()`.
   * @throws {NoRoutesError} 500, when it has no routes.
   * @throws {RouteRegistrationError} 500, when one of its routes cannot work.
   * @throws {StartError} 500, when there are several such problems.
   */
  register(target: Constructor): ControllerDefinition {
    const known = this.#definitions.get(target);
    if (known !== undefined) return known;
    const definition = definitionOf(target, this.#isInPath);
    throwProblems(findMistakes('controller', definition));
    undiscovered.delete(target);
    this.#definitions.set(target, definition);
    return definition;
  }

  /** Whether a class is registered. */
  has(target: Constructor): boolean {
    return this.#definitions.has(target);
  }

  /** The definition of a class; undefined if it is not registered. */
  get(target: Constructor): ControllerDefinition | undefined {
    return this.#definitions.get(target);
  }

  /** All definitions, in the order of registration. */
  get all(): readonly ControllerDefinition[] {
    return [...this.#definitions.values()];
  }
}
