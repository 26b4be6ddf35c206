export { createTestApp } from './create-test-app.js';
export { MissingMemberError, UnusedOverrideError } from './errors.js';
export type { Fake, FakeProvider, Replacement } from './fake.js';
export type { TestApp, TestRequestInit } from './test-app.js';
export type {
  ApplicationTestOptions,
  CommonTestOptions,
  Override,
  Overrides,
  TestAppOptions,
} from './test-app-options.js';
