/** Reports the tests of any version of mocha. */
const { appendFileSync } = require('node:fs');
const { relative } = require('node:path');

const { SUITE_OUTPUT = '', SUITE_ROOT = '' } = process.env;

module.exports = function Report(runner) {
  const write = (passed) => (test, error) => {
    const path = [relative(SUITE_ROOT, test.file ?? ''), test.title];
    for (let { parent } = test; parent?.title; { parent } = parent) path.splice(1, 0, parent.title);
    const result = { name: path.join(' > '), passed, ...(error && { message: String(error) }) };
    appendFileSync(SUITE_OUTPUT, `${JSON.stringify(result)}\n`);
  };
  runner.on('pass', write(true)).on('fail', write(false));
};
