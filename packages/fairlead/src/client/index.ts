// Turns OpenAPI documents into types for `@fairlead/client`. Imports nothing of the command line, which imports only this.

export { DocumentError } from './document.js';
export { type GeneratedClient, generateClient } from './generate.js';
export { isNode, type Node } from './node.js';
