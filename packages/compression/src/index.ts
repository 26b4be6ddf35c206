export { type CompressionOptions, compression, type Encoding } from './compression.js';
