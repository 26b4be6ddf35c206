// Turns OpenAPI documents into types for `@fairlead/client`. Imports nothing of the command line, which imports only this.

export { Document, DocumentError } from './document.js';
export { type GeneratedClient, generateClient } from './generate.js';
export { isNode, listOf, type Node, nodeOf, nodesOf, textOf } from './node.js';
