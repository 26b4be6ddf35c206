import { toPascalCase } from './names.js';

/** Creates an operation ID, such as `getUsersById` for GET `/users/{id}`. */
export function createOperationId(method: string, template: string): string {
  const words = template.split('/').flatMap((segment) =>
    segment.split(/[{}]/).map((text, index) => {
      const isName = index % 2 === 1;
      return (isName ? (index === 1 ? 'By' : 'And') : '') + toPascalCase(text);
    }),
  );
  return method.toLowerCase() + (words.join('') || 'Root');
}
