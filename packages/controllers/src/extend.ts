export { checkingGuards } from './definition/built-route.js';
export { GUARD_OVERRIDES } from './metadata/references.js';
