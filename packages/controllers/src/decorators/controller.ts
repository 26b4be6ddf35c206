import { assertExperimental } from '../metadata/assert-experimental.js';
import { captureDeclaration } from '../metadata/declaration.js';
import { classMetadata } from '../metadata/storage.js';

/** Object form of the argument of `@Controller()`. */
export interface ControllerOptions {
  /** Leading path of every route of the class; none by default. */
  readonly prefix?: string;
  /** Version segment, written before the prefix: `v2` makes `/v2/users` of `/users`. */
  readonly version?: string;
}

/**
 * Marks a class as a controller.
 *
 * @param options - The prefix, or prefix and version; without it the routes have no prefix.
 * @see The specification, "Decorator option shapes".
 */
export function Controller(options: string | ControllerOptions = {}): ClassDecorator {
  const given: ControllerOptions = typeof options === 'string' ? { prefix: options } : options;
  const { prefix = '', version } = given;
  const declaration = captureDeclaration(Controller);
  return (target: object, context?: unknown): void => {
    assertExperimental('Controller', context);
    classMetadata(target).controller = Object.freeze({ prefix, version, declaration });
  };
}
