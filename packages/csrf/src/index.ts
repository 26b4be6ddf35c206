export { type CsrfOptions, csrf, csrfGuard } from './csrf.js';
export { type CsrfTokenOptions, type CsrfTokens, csrfTokens } from './tokens.js';
