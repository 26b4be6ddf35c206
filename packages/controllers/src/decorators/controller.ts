import {
  captureCallSite,
  describeValue,
  type Kinds,
  kind,
  object,
  string,
} from '@fairlead/options';
import { undiscovered } from '../metadata/undiscovered.js';
import { CLASS, createDecorator, type OptionsReading, readOptions } from './decorator.js';

/** Object form of the argument of `@Controller()`. */
export interface ControllerOptions {
  /** Leading path of every route of the class; empty by default. */
  readonly prefix?: string;
  /** Version segment before the prefix: `v2` turns `/users` into `/v2/users`. */
  readonly version?: string;
}

const CONTROLLER_OPTIONS: Kinds<ControllerOptions> = {
  prefix: string,
  version: kind("one segment of a path, such as 'v2'", isSegment),
};

function isSegment(value: unknown): boolean {
  return typeof value === 'string' && /^\/?[^/\s]+\/?$/.test(value);
}

/**
 * Marks a class as a controller.
 *
 * @param options - The prefix, or an object with prefix and version.
 */
export function Controller(options?: string | ControllerOptions): ClassDecorator;
export function Controller(...values: readonly unknown[]): unknown {
  const callSite = captureCallSite(Controller);
  return createDecorator(
    {
      name: 'Controller',
      target: CLASS,
      takes: 1,
      read: (value) => {
        const { options, faults } = readController(value);
        const { prefix = '', version } = options;
        const hasPath = faults.length === 0;
        return {
          faults,
          check: ({ controller }) => (controller === undefined ? undefined : REPEATED),
          apply: (metadata, { owner }) => {
            metadata.controller = Object.freeze({ prefix, version, callSite, hasPath });
            undiscovered.add(owner);
          },
        };
      },
    },
    values,
  );
}

const REPEATED = { problem: 'the class has two @Controller() decorators.', fix: 'keep one.' };

function readController(value: unknown): OptionsReading<ControllerOptions> {
  const options = typeof value === 'string' ? { prefix: value } : value;
  if (options === undefined || object.accepts(options)) {
    return readOptions<ControllerOptions>('@Controller()', options, CONTROLLER_OPTIONS);
  }
  const problem = `@Controller() cannot use ${describeValue(value)} as prefix.`;
  const fix = "pass a string, such as '/users', or an object { prefix, version }.";
  return { options: {}, faults: [{ problem, fix }] };
}
