import { ControllerError } from './controller-error.js';

/** 500. The discovery root is missing, or a file below it could not be looked into. */
export class DiscoveryError extends ControllerError {
  /** Absolute path of the file or directory. */
  readonly file: string;

  /**
   * @param file - Absolute path of the file or directory.
   * @param problem - What is wrong and what to do, as a sentence.
   * @param cause - What importing the file threw, when it threw.
   */
  constructor(file: string, problem: string, cause?: unknown) {
    super(`Discovery failed at ${file}: ${problem}`, {
      code: 'DISCOVERY_FAILED',
      ...(cause === undefined ? {} : { cause }),
    });
    this.file = file;
  }
}
