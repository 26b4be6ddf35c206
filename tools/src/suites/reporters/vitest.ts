/** Reports the tests of vitest. */
import { appendFileSync } from 'node:fs';
import type { Reporter, TestCase } from 'vitest/node';

export default class Report implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { state, errors } = test.result();
    const result = {
      name: `${test.module.relativeModuleId} > ${test.fullName}`,
      passed: state === 'passed',
      message: errors?.[0]?.message,
    };
    appendFileSync(process.env.SUITE_OUTPUT ?? '', `${JSON.stringify(result)}\n`);
  }
}
