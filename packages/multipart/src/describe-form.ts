import type { FormDescription } from '@fairlead/core/extend';
import type { FormSettings, PartRule } from './rules.js';

/**
 * Describes the form that rules allow.
 *
 * @param settings - The resolved options.
 * @param isExclusive - Whether bodies of other media types are rejected.
 */
export function describeForm(settings: FormSettings, isExclusive: boolean): FormDescription {
  const rules = [...settings.rules];
  const encoding = rules.flatMap(([name, rule]) => {
    const mediaTypes = acceptedTypes(rule, settings);
    return mediaTypes === undefined ? [] : [[name, { contentType: mediaTypes.join(', ') }]];
  });
  return {
    properties: Object.fromEntries(rules.map(([name, rule]) => [name, describePart(rule)])),
    required: rules.flatMap(([name, { required }]) => (required === true ? [name] : [])),
    encoding: Object.fromEntries(encoding),
    isExclusive,
  };
}

/** Returns a JSON Schema. Several parts with one name are an array. OpenAPI 3.1 §4.8.15.1.2 */
function describePart(rule: PartRule): object {
  if (rule.json === true) return {};
  const part = { type: 'string', ...(isFile(rule) && { format: 'binary' }) };
  const { maxCount } = rule;
  if (maxCount === 1) return part;
  return { type: 'array', items: part, ...(maxCount !== undefined && { maxItems: maxCount }) };
}

function acceptedTypes(rule: PartRule, settings: FormSettings): readonly string[] | undefined {
  if (rule.mediaTypes !== undefined) return rule.mediaTypes;
  if (rule.json === true) return ['application/json'];
  return isFile(rule) ? settings.mediaTypes : undefined;
}

/** Whether clients send a file. Only files have media types in practice. */
function isFile({ kind, mediaTypes }: PartRule): boolean {
  return kind === 'file' || (kind === undefined && mediaTypes !== undefined);
}
