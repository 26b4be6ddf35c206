import { parseArgs } from 'node:util';
import { generate } from './generate.js';
import { measureStart, type Start } from './measure.js';
import { SUBJECTS } from './subjects.js';

const { values } = parseArgs({
  options: {
    controllers: { type: 'string', default: '500' },
    rounds: { type: 'string', default: '7' },
  },
});
const count = Number(values.controllers);
const rounds = Number(values.rounds);

const programs = SUBJECTS.map((subject) => ({
  name: subject.name,
  main: generate(subject, count),
  starts: [] as Start[],
}));

// In turn, so that what disturbs the machine disturbs all; the first round only warms up.
for (let round = 0; round <= rounds; round += 1) {
  for (const { main, starts } of programs) {
    const start = await measureStart(main, `/c${count - 1}/7`);
    if (round > 0) starts.push(start);
  }
}

/** The middle of some numbers; of an even number of them, the upper one. */
function median(numbers: readonly number[]): number {
  return (
    numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN
  );
}

const [first] = programs;
console.log(`${count} controllers, ${rounds} rounds, Node ${process.version}; medians\n`);
console.log(
  '| Server | Start to first answer | Fairlead / it, in the same round | Resident memory |',
);
console.log('|---|---|---|---|');
for (const { name, starts } of programs) {
  const time = median(starts.map((start) => start.time));
  const memory = median(starts.map((start) => start.memory));
  const ratio = median(
    starts.map((start, round) => (first?.starts[round]?.time ?? Number.NaN) / start.time),
  );
  console.log(
    `| ${name} | ${time.toFixed(0)} ms | ${ratio.toFixed(2)} | ${(memory / 1024 ** 2).toFixed(0)} MiB |`,
  );
}
