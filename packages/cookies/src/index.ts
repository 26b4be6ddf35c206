export { CookieError, type CookieErrorCode, CookieKeysError } from './errors.js';
export { type RequestCookies, readCookies } from './read-cookies.js';
export { type CookieOptions, type CookieScope, deleteCookie, setCookie } from './set-cookie.js';
export { type SignedCookies, signedCookies } from './signed-cookies.js';
