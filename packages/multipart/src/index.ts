export type { MultipartLimits } from './limits.js';
export {
  type FormOf,
  type FormValue,
  type MultipartOptions,
  multipart,
  type UploadedFile,
} from './multipart.js';
export { type FieldPart, type FilePart, type JsonPart, type Part, parts } from './parts.js';
export type { FileFilter, FileHead, PartRule, PartsOptions } from './rules.js';
export type { StoredFile } from './temp-files.js';
