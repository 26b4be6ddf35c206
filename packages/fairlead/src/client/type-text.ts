import { escapeControls } from '@fairlead/options';
import {
  broken,
  group,
  HARD,
  indent,
  join,
  type Layout,
  LINE,
  SOFT,
  writeLayout,
} from './layout.js';
import {
  type Combination,
  isCombination,
  isObject,
  type Member,
  type ObjectType,
  type Reference,
  type Tuple,
  type Type,
} from './types.js';

/** The longest line, as Prettier formats by default. */
const WIDTH = 80;

/** The most members of an object on one line. */
const MEMBERS_OF_LINE = 3;

/** Writes a string with the quotes that need fewer escapes, as Prettier does. Escapes what editors and terminals obey. */
export function literal(text: string): string {
  const json = escapeControls(JSON.stringify(text));
  const count = (quote: string) => text.split(quote).length;
  if (count('"') <= count("'")) return json;
  return `'${json.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** Writes the key of a member. */
export function keyOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}

/** Returns the name of a declaration. */
export type NameOf = (reference: Reference) => string;

/** Writes the declaration of an exported type, formatted as Prettier does by default. */
export function writeDeclaration(
  name: string,
  type: Type,
  comment: readonly string[],
  nameOf: NameOf,
): string {
  const layout = isObject(type)
    ? [`export interface ${name} `, layoutMembers(type, nameOf)]
    : [`export type ${name} =`, layoutAlias(type, nameOf), ';'];
  return writeLayout([layoutComment(comment), layout, HARD], WIDTH);
}

/** Writes the declaration of an exported list of texts, in the same format. */
export function writeList(
  name: string,
  texts: readonly string[],
  comment: readonly string[],
): string {
  const items = join([',', LINE], texts.map(literal));
  const list = group(['[', indent([SOFT, items]), broken(','), SOFT, ']']);
  const layout = [`export const ${name} = `, list, ' as const;'];
  return writeLayout([layoutComment(comment), layout, HARD], WIDTH);
}

/** What follows an equals sign. */
function layoutAlias(type: Type, nameOf: NameOf): Layout {
  const isName = typeof type === 'string' || type.kind === 'reference';
  return isName ? group(indent([LINE, layoutType(type, nameOf)])) : layoutAfterSign(type, nameOf);
}

/** What follows a colon. */
function layoutAfterSign(type: Type, nameOf: NameOf): Layout {
  if (!isCombination(type, 'union') || isNullable(type)) return [' ', layoutType(type, nameOf)];
  return group(indent([LINE, layoutAlternatives(type, nameOf)]));
}

/** Whether a union is an object or null, which starts on the line of the member. */
function isNullable({ types }: Combination): boolean {
  return types.length === 2 && types.some(isObject) && types.includes('null');
}

function layoutAlternatives({ types }: Combination, nameOf: NameOf): Layout {
  const parts = types.map((one) => {
    const layout = layoutType(one, nameOf);
    return indent(isCombination(one, 'intersection') ? ['(', layout, ')'] : layout);
  });
  return group([broken('| '), join([LINE, '| '], parts)]);
}

function layoutType(type: Type, nameOf: NameOf): Layout {
  if (typeof type === 'string') return type;
  switch (type.kind) {
    case 'reference':
      return nameOf(type);
    case 'array':
      return ['readonly ', layoutOperand(type.item, nameOf), '[]'];
    case 'tuple':
      return ['readonly ', layoutTuple(type, nameOf)];
    case 'generic': {
      const parts = type.types.map((one) => layoutType(one, nameOf));
      return group([type.name, '<', indent([SOFT, join([',', LINE], parts)]), SOFT, '>']);
    }
    case 'object':
      return layoutObject(type, nameOf);
    case 'intersection':
      return layoutIntersection(type, nameOf);
    case 'union':
      return isNullable(type)
        ? join(
            ' | ',
            type.types.map((one) => layoutType(one, nameOf)),
          )
        : layoutAlternatives(type, nameOf);
  }
}

/** A type before brackets, in parentheses if it needs them. */
function layoutOperand(type: Type, nameOf: NameOf): Layout {
  const layout = layoutType(type, nameOf);
  if (typeof type === 'string' || type.kind === 'reference' || type.kind === 'object')
    return layout;
  if (type.kind !== 'union' || isNullable(type)) return ['(', layout, ')'];
  return group(['(', indent([SOFT, layoutAlternatives(type, nameOf)]), SOFT, ')']);
}

function layoutTuple({ items, required, rest }: Tuple, nameOf: NameOf): Layout {
  const parts = items.map((item, index) =>
    index < required ? layoutType(item, nameOf) : [layoutOperand(item, nameOf), '?'],
  );
  if (rest !== undefined) parts.push(['...', layoutType({ kind: 'array', item: rest }, nameOf)]);
  const comma = rest === undefined ? broken(',') : '';
  return group(['[', indent([SOFT, join([',', LINE], parts)]), comma, SOFT, ']']);
}

/** Objects start on the line of the sign before them. */
function layoutIntersection({ types }: Combination, nameOf: NameOf): Layout {
  const parts = types.map((type, index) => {
    const layout = isCombination(type, 'union')
      ? layoutOperand(type, nameOf)
      : layoutType(type, nameOf);
    if (index === 0) return layout;
    const isBetweenNames = !isObject(type) && !isObject(types[index - 1]);
    return isBetweenNames
      ? indent([' &', LINE, layout])
      : [' & ', index > 1 ? indent(layout) : layout];
  });
  return group(parts);
}

function layoutObject(type: ObjectType, nameOf: NameOf): Layout {
  const { members, isBlock = false } = type;
  const isShort =
    !isBlock &&
    members.length <= MEMBERS_OF_LINE &&
    members.every(({ comment = [] }) => comment.length === 0);
  if (!isShort || members.length === 0) return layoutMembers(type, nameOf);
  const parts = members.map((member) => layoutMember(member, nameOf));
  return group(['{', indent([LINE, join([';', LINE], parts)]), broken(';'), LINE, '}']);
}

function layoutMembers({ members }: ObjectType, nameOf: NameOf): Layout {
  if (members.length === 0) return '{}';
  const lines = members.map((member) => [HARD, layoutMember(member, nameOf), ';']);
  return ['{', indent(lines), HARD, '}'];
}

function layoutMember(member: Member, nameOf: NameOf): Layout {
  const { key, type, isOptional, isReadonly, comment = [] } = member;
  const start = `${isReadonly ? 'readonly ' : ''}${key}${isOptional ? '?' : ''}:`;
  return [layoutComment(comment), start, layoutAfterSign(type, nameOf)];
}

/** A comment of documentation, with the line break after it. */
function layoutComment(paragraphs: readonly string[]): Layout {
  const lines = paragraphs
    .join('\n')
    .replaceAll('*/', '*\\/')
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => escapeControls(line.trimEnd()));
  const [line = ''] = lines;
  if (lines.length === 1) return line === '' ? '' : [`/** ${line.trim()} */`, HARD];
  return [['/**', HARD], lines.map((one) => [` * ${one}`.trimEnd(), HARD]), [' */', HARD]];
}
