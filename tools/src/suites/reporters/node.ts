/** Reports the tests of `node --test`. */
import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

const { SUITE_OUTPUT = '', SUITE_ROOT = '' } = process.env;

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const parents = new Map<string | undefined, string[]>();
  for await (const event of events) {
    if (event.type === 'test:start') {
      const { file, nesting, name } = event.data;
      parents.set(file, [...(parents.get(file) ?? []).slice(0, nesting), name]);
    }
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue;
    const { file = '', nesting, name, details, skip } = event.data;
    if (details.type === 'suite' || skip !== undefined) continue;
    const path = [...(parents.get(file) ?? []).slice(0, nesting), name];
    const error = event.type === 'test:fail' ? event.data.details.error : undefined;
    const result = {
      name: [relative(SUITE_ROOT, file), ...path].join(' > '),
      passed: event.type === 'test:pass',
      ...(error !== undefined && { message: String(error.cause ?? error) }),
    };
    appendFileSync(SUITE_OUTPUT, `${JSON.stringify(result)}\n`);
    yield '';
  }
}
