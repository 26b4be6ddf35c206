import { javascriptLanguage } from '@codemirror/lang-javascript';
import type { LRLanguage } from '@codemirror/language';
import { styleTags, type Tag, tagHighlighter, tags } from '@lezer/highlight';

/** Declared names, whose color in blocks of code depends on where they are declared. */
const constant = tags.constant(tags.variableName);
const variable = tags.local(tags.variableName);

/** JavaScript, in which these names have tags of their own. */
export const language: LRLanguage = javascriptLanguage.configure({
  props: [
    styleTags({
      'VariableDeclaration/VariableDefinition': constant,
      'VariableDeclaration/ObjectPattern/PatternProperty/VariableDefinition': constant,
      'ParamList/VariableDefinition PatternProperty/VariableDefinition': variable,
      'PropertyDeclaration/PropertyDefinition': variable,
      'MethodDeclaration/PropertyDefinition': tags.function(tags.propertyName),
    }),
  ],
});

/** The tags of each class of code.css. Other text has the color of the block. */
const TAGS: Readonly<Record<string, readonly Tag[]>> = {
  'code-keyword': [
    tags.keyword,
    tags.modifier,
    tags.operatorKeyword,
    tags.arithmeticOperator,
    tags.bitwiseOperator,
    tags.compareOperator,
    tags.definitionOperator,
    tags.logicOperator,
    tags.updateOperator,
    // The arrow of a function.
    tags.function(tags.punctuation),
  ],
  // Also the ends of an expression in a template.
  'code-string': [tags.string, tags.regexp, tags.special(tags.brace)],
  'code-function': [
    tags.function(tags.variableName),
    tags.function(tags.propertyName),
    // The class of a new expression.
    tags.className,
  ],
  'code-variable': [variable, tags.definition(tags.className)],
  'code-constant': [constant, tags.atom, tags.bool, tags.null, tags.number, tags.self],
  'code-comment': [tags.comment],
};

/** Gives code in the editor the classes that blocks of code have. */
export const codeClasses = tagHighlighter(
  Object.entries(TAGS).map(([name, tag]) => ({ tag, class: name })),
);
