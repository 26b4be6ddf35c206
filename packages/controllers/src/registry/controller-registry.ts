import type { Constructor } from '@fairlead/di';
import { throwProblems } from '../errors/start-error.js';
import { checkDefinition } from './check-definition.js';
import { defineController } from './define-controller.js';
import type { ControllerDefinition } from './definition.js';

/** The definitions of controller classes, each made once. */
export class ControllerRegistry {
  readonly #definitions = new Map<Constructor, ControllerDefinition>();

  /**
   * Reads, checks and keeps the definition of a class.
   *
   * @param target - A class with `@Controller()`; one that is known keeps its definition.
   * @returns The frozen definition.
   * @throws {NotAControllerError} 500, when it carries no `@Controller()` of its own.
   * @throws {NoRoutesError} 500, when it has no routes.
   * @throws {RouteRegistrationError} 500, when one of its routes cannot work; several problems are
   *   thrown as one {@link StartError}.
   */
  register(target: Constructor): ControllerDefinition {
    const known = this.#definitions.get(target);
    if (known !== undefined) return known;
    const definition = defineController(target);
    throwProblems(checkDefinition(definition));
    this.#definitions.set(target, definition);
    return definition;
  }

  /** Tells whether a class is registered. */
  has(target: Constructor): boolean {
    return this.#definitions.has(target);
  }

  /** The definition of a class; undefined when it is not registered. */
  get(target: Constructor): ControllerDefinition | undefined {
    return this.#definitions.get(target);
  }

  /** Every definition, in the order of registration. */
  get all(): readonly ControllerDefinition[] {
    return [...this.#definitions.values()];
  }
}
