export { createTestApp } from './create-test-app.js';
export { MissingMemberError, RefusedHandshakeError, UnusedOverrideError } from './errors.js';
export type { Fake, FakeProvider, Replacement } from './fake.js';
export type { AgentOptions, TestAgent, TestApp, TestRequestInit } from './test-app.js';
export type {
  ApplicationTestOptions,
  CommonTestOptions,
  GuardOverride,
  Override,
  Overrides,
  TestAppOptions,
} from './test-app-options.js';
export type { TestSocket, TestSocketClose, TestSocketInit } from './test-socket.js';
