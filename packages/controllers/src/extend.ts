export { GUARD_OVERRIDES } from './metadata/references.js';
