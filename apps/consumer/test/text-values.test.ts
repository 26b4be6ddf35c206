import { describe, expect, it } from 'vitest';
import { CHANNELS, createEcho } from './support/text-channels.js';
import { LIBRARIES, sampleCases } from './support/text-values.js';

const cases = sampleCases(40, 3, 1);

describe.each(Object.keys(LIBRARIES) as (keyof typeof LIBRARIES)[])('values of %s', (library) => {
  it.each(Object.entries(CHANNELS))('arrive equal by way of %s', async (name, open) => {
    const send = await open(createEcho(library, cases, name === 'tool'));
    for (const [index, { spec, values }] of cases.entries()) {
      for (const value of values) {
        const received = await send(index, value);
        expect({ spec, value, received }).toEqual({ spec, value, received: value });
      }
    }
  });
});
