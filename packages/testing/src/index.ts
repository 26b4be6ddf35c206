export { createTestApp } from './create-test-app.js';
export type { Fake, Override, Overrides } from './override.js';
export type { TestApp } from './test-app.js';
export type { TestAppOptions } from './test-app-options.js';
export type { TestRequestInit } from './test-request-init.js';
