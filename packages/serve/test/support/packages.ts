/** The modules that the tests' programs import. `bundle.ts` compiles them. */
export { createApp, createRouter, intended, listen } from '@fairlead/core';
export { describe as describeFunction } from '@fairlead/core/extend';
export { defineConfig, describeStartError, runProcess, serve } from '@fairlead/serve';
