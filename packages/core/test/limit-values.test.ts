import { describe, expect, it } from 'vitest';
import { createApp, listen, type ServerLimits, urlencoded } from '../src/index.js';

const LIMITS: readonly (keyof ServerLimits)[] = [
  'headersTimeout',
  'requestTimeout',
  'keepAliveTimeout',
  'maxHeaderSize',
  'maxHeaders',
  'maxTargetSize',
];

describe.each([-1, 1.5, Number.POSITIVE_INFINITY])('the limit %d', (limit) => {
  it.each(LIMITS)('is rejected by listen() as %s', async (name) => {
    await expect(listen(createApp(), 0, { [name]: limit })).rejects.toMatchObject({
      name: 'SetupError',
      code: 'INVALID_OPTION',
      message: expect.stringContaining(name),
    });
  });

  it('is rejected by urlencoded() as maxFields', () => {
    expect(() => urlencoded({ maxFields: limit })).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringContaining('maxFields'),
      }),
    );
  });
});
