import { createRouter } from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import { describe, expect, it } from 'vitest';
import {
  Body,
  buildRoutes,
  Controller,
  createCustomParamDecorator,
  Post,
  registerController,
} from '../src/index.js';
import { failStart } from './support/fail-start.js';
import { schema } from './support/schema.js';
import { serve } from './support/serve.js';

const never = schema<never>(() => ({ issues: [{ message: 'is wrong' }] }));
const failing = (): never => {
  throw new Error('inner');
};
const failingSchema = schema<never>(failing);
const Failing = createCustomParamDecorator(failing);

@Controller()
class BodyController {
  @Post('/missing')
  missing(@Body('name') name: unknown) {
    return { name };
  }

  @Post('/invalid')
  invalid(@Body('name', { transform: never }) name: unknown) {
    return { name };
  }

  @Post('/injected')
  injected(@Body('name', { transform: failing }) name: unknown) {
    return { name };
  }

  @Post('/schema')
  schema(@Body('name', { transform: failingSchema }) name: unknown) {
    return { name };
  }

  @Post('/custom')
  custom(@Failing name: unknown) {
    return { name };
  }
}

const controllers = [BodyController];

describe('validationStatus', () => {
  it.each([
    [undefined, 400],
    [400, 400],
    [422, 422],
  ] as const)('of %s makes missing and invalid values a %i', async (validationStatus, status) => {
    const { post } = await serve({ controllers }, [], validationStatus && { validationStatus });
    const missing = await post('/missing', {});
    expect(missing.status).toBe(status);
    expect(await missing.json()).toMatchObject({
      status,
      code: 'MISSING_PARAMETER',
      issues: [{ path: ['body', 'name'], message: 'is required' }],
    });
    const invalid = await post('/invalid', { name: 1 });
    expect(invalid.status).toBe(status);
    expect(await invalid.json()).toMatchObject({
      status,
      code: 'VALIDATION_FAILED',
      issues: [{ path: ['body', 'name'], message: 'is wrong' }],
    });
  });

  it.each([
    ['a transform function', '/injected', 400],
    ['a schema', '/schema', 500],
    ['a custom parameter', '/custom', 500],
  ])('does not change the status if %s throws', async (_thrower, path, status) => {
    const { post } = await serve({ controllers }, [], { validationStatus: 422 });
    expect((await post(path, { name: 1 })).status).toBe(status);
  });

  it('is an option of the application only', async () => {
    const options: object = { container: createContainer(), validationStatus: 422 };
    const error = await failStart(controllers, options);
    const refusal = (call: string) =>
      `${call}() has no option 'validationStatus'. Pass it to createApp().`;
    expect(error).toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining(refusal('controllersPlugin')),
    });
    expect(() => registerController(createRouter(), BodyController, options)).toThrow(
      refusal('registerController'),
    );
    expect(() => buildRoutes(BodyController, options)).toThrow(refusal('buildRoutes'));
  });
});
