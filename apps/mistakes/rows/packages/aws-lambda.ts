import { createLambdaHandler } from '@fairlead/aws-lambda';
import { createApp } from '@fairlead/core';
import { area } from '../../src/mistake.js';

const mistake = area('Options of @fairlead/aws-lambda');

mistake(
  '`createLambdaHandler(createMyApp())`, a promise of the application',
  { compiler: 'Promise', startup: 'Await it' },
  () => {
    createLambdaHandler(Promise.resolve(createApp()));
    return createApp();
  },
);

mistake(
  '`createLambdaHandler(app, { basePath: "api" })` without a leading slash',
  { startup: "must be a path such as '/api'" },
  () => {
    createLambdaHandler(createApp(), { basePath: 'api' });
    return createApp();
  },
);
