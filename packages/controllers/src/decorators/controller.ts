import { captureCallSite } from '../metadata/call-site.js';
import { assertExperimental, classMetadata } from '../metadata/class-metadata.js';

/** Object form of the argument of `@Controller()`. */
export interface ControllerOptions {
  /** Leading path of every route of the class; empty by default. */
  readonly prefix?: string;
  /** Version segment before the prefix: `v2` turns `/users` into `/v2/users`. */
  readonly version?: string;
}

/**
 * Marks a class as a controller.
 *
 * @param options - The prefix, or an object with prefix and version.
 */
export function Controller(options: string | ControllerOptions = {}): ClassDecorator {
  const { prefix = '', version }: ControllerOptions =
    typeof options === 'string' ? { prefix: options } : options;
  const callSite = captureCallSite(Controller);
  return (target: object, context?: unknown): void => {
    assertExperimental('Controller', context);
    classMetadata(target).controller = Object.freeze({ prefix, version, callSite });
  };
}
