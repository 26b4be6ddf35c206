export { createTestApp } from './create-test-app.js';
export type { TestApp, TestRequestInit } from './test-app.js';
export type { Fake, Override, Overrides, TestAppOptions } from './test-app-options.js';
