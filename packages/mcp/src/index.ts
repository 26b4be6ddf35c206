export { type McpAuthorization, type McpOptions, mcp } from './plugin.js';
