/** The modules that the tests' programs import. `bundle.ts` compiles them. */
export { createApp, createRouter, intended } from '@fairlead/core';
export { describeStartError, runProcess, serve } from '@fairlead/serve';
