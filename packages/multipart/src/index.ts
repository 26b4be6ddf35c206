export type { MultipartLimits, MultipartOptions } from './limits.js';
export { type FormValue, multipart, type UploadedFile } from './multipart.js';
export { type FieldPart, type FilePart, type Part, parts } from './parts.js';
