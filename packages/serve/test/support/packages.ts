/** The modules that the tests' programs import. `bundle.ts` compiles them. */
export { createApp, createRouter } from '@fairlead/core';
export { describeStartError, runProcess, serve } from '@fairlead/serve';
