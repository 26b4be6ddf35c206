import { ControllerError } from './controller-error.js';
import { describePlace, type Flaw, problemText } from './problem-text.js';

/** 500. The discovery root is missing, or a file below it could not be looked into. */
export class DiscoveryError extends ControllerError {
  /** Absolute path of the file or directory. */
  readonly file: string;

  /**
   * @param file - Absolute path of the file or directory.
   * @param flaw - What is wrong with it; the cause is what importing the file threw.
   * @param position - Line, or line and column, when that is known.
   */
  constructor(file: string, { problem, fix, ...cause }: Flaw, position?: string) {
    const title = `Discovery failed: ${problem}`;
    const place = describePlace(file, position);
    super(problemText({ title, place, fix }), { code: 'DISCOVERY_FAILED', ...cause });
    this.file = file;
  }
}
