import { defaultKeymap, history, historyKeymap, isolateHistory } from '@codemirror/commands';
import { indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { EditorState, RangeSet, StateEffect, StateField } from '@codemirror/state';
import { EditorView, GutterMarker, gutterLineClass, keymap, lineNumbers } from '@codemirror/view';
import { codeClasses, language } from '../../../src/playground/code-classes.ts';
import { changeBetween } from '../../../src/playground/program.ts';

/** An editor of the program. Its key maps leave Tab to the browser, so that the key leaves the editor. */
export interface Editor {
  /** Replaces the program in one step, which the visitor can undo, and scrolls to the change. */
  replace(text: string): void;
  /** Marks the lines of the report, from 1, in place of those marked before. */
  mark(lines: Iterable<number>): void;
  /** Selects a line, from 1. The page scrolls only if the line is outside of the window. */
  select(line: number): void;
  focus(): void;
  destroy(): void;
}

const report = StateEffect.define<Iterable<number>>();

const reported = new (class extends GutterMarker {
  override elementClass = 'reported';
})();

/** The lines of the report, which move with the text. */
const reportedLines = StateField.define<RangeSet<GutterMarker>>({
  create: () => RangeSet.empty,
  update(lines, { changes, effects, newDoc }) {
    const effect = effects.find((one) => one.is(report));
    if (effect === undefined) return lines.map(changes);
    // The report may be about a longer program, before a change.
    const known = [...effect.value].filter((line) => line <= newDoc.lines);
    return RangeSet.of(
      known.map((line) => reported.range(newDoc.line(line).from)),
      true,
    );
  },
  provide: (field) => gutterLineClass.from(field),
});

/**
 * Creates an editor.
 *
 * @param parent - The element that contains it.
 * @param label - The id of the element with its name.
 * @param onChange - Called with the program after each change.
 */
export function createEditor(
  parent: HTMLElement,
  program: string,
  label: string,
  onChange: (text: string) => void,
): Editor {
  const view = new EditorView({
    parent,
    doc: program,
    extensions: [
      lineNumbers(),
      reportedLines,
      history(),
      keymap.of([...defaultKeymap, ...historyKeymap]),
      EditorState.tabSize.of(2),
      language,
      indentOnInput(),
      syntaxHighlighting(codeClasses),
      EditorView.contentAttributes.of({ 'aria-labelledby': label, tabindex: '0' }),
      EditorView.updateListener.of(({ docChanged, state }) => {
        if (docChanged) onChange(state.doc.toString());
      }),
    ],
  });

  /** Scrolls a place to the middle of the editor. Effects of CodeMirror would also scroll the page. */
  const reveal = (position: number) => {
    const { top, height } = view.lineBlockAt(position);
    view.scrollDOM.scrollTop = top - (view.scrollDOM.clientHeight - height) / 2;
  };

  return {
    replace(text) {
      const changes = changeBetween(view.state.doc.toString(), text);
      view.dispatch({ changes, annotations: isolateHistory.of('full') });
      reveal(changes.from);
    },
    mark: (lines) => view.dispatch({ effects: report.of(lines) }),
    select(line) {
      if (line > view.state.doc.lines) return;
      const { from, to } = view.state.doc.line(line);
      reveal(from);
      view.focus();
      view.dispatch({
        selection: { anchor: from, head: to },
        effects: EditorView.scrollIntoView(from),
      });
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}
