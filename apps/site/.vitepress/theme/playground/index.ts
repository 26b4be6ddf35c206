import {
  computed,
  defineComponent,
  h,
  onBeforeUnmount,
  onMounted,
  ref,
  shallowRef,
  watch,
} from 'vue';
import { kindOf } from '../../../src/playground/lines.ts';
import {
  EXAMPLES,
  type Example,
  exampleOf,
  hasMistake,
  toggleMistake,
  VALUES,
} from '../../../src/playground/program.ts';
import type { Editor } from './editor.ts';
import { type Outcome, startProgram } from './start.ts';
import './style.css';

/** Milliseconds between the last key press and the start of the program. */
const PAUSE = 300;

/** The id of the element with the name of the program. */
const LABEL = 'playground-program';

/** A place in the program, as reports name it. */
const PLACE = /(\bapp\.js:\d+:\d+)/;

const SUMMARIES: Readonly<Record<Outcome['ending'], string>> = {
  started: 'The application starts.',
  warned: 'The application starts, with a warning.',
  failed: 'The start fails, before the port opens.',
  stopped: 'The program takes too long.',
};

/** An editor with an application, buttons that break it, and what its start prints. */
export default defineComponent(() => {
  const example = ref<Example>(VALUES);
  const program = ref(VALUES.program);
  const outcome = ref<Outcome>();
  const pane = ref<HTMLElement>();
  const editor = shallowRef<Editor>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running = new AbortController();

  const start = async () => {
    running.abort();
    running = new AbortController();
    outcome.value = await startProgram(program.value, running.signal);
  };
  const change = (text: string, delay: number) => {
    program.value = text;
    // The visitor may take back the choice of another application.
    example.value = exampleOf(text) ?? example.value;
    clearTimeout(timer);
    timer = setTimeout(start, delay);
  };
  /** Changes the program for the visitor. */
  const edit = (text: string) => {
    change(text, 0);
    editor.value?.replace(text);
  };
  /** The lines of the report, each of which alternates between text and places. */
  const report = computed(() =>
    (outcome.value?.output ?? '').split('\n').map((line) => line.split(PLACE)),
  );
  const reported = computed(
    () => new Set(report.value.flatMap((parts) => parts.filter(isPlace).map(lineOf))),
  );

  /** Replaces the text of the program by the editor, once its code has loaded. */
  const loadEditor = async () => {
    const { createEditor } = await import('./editor.ts');
    // The visitor may have left the page.
    if (pane.value === undefined) return;
    const hasFocus = pane.value.contains(document.activeElement);
    editor.value = createEditor(pane.value, program.value, LABEL, (text) => {
      if (text !== program.value) change(text, PAUSE);
    });
    editor.value.mark(reported.value);
    if (hasFocus) editor.value.focus();
  };
  watch(reported, (lines) => editor.value?.mark(lines));
  onMounted(() => Promise.all([start(), loadEditor()]));
  onBeforeUnmount(() => {
    clearTimeout(timer);
    running.abort();
    editor.value?.destroy();
  });

  const renderMistakes = () =>
    h('div', { class: 'mistakes', role: 'group', 'aria-label': 'Mistakes' }, [
      ...example.value.mistakes.map((mistake) => {
        const isMade = hasMistake(program.value, mistake);
        return h(
          'button',
          {
            type: 'button',
            'aria-pressed': isMade ?? false,
            disabled: isMade === undefined,
            onClick: () => edit(toggleMistake(program.value, mistake)),
          },
          mistake.label,
        );
      }),
      h(
        'button',
        {
          type: 'button',
          class: 'reset',
          disabled: program.value === example.value.program,
          onClick: () => edit(example.value.program),
        },
        'Reset',
      ),
      h(
        'select',
        {
          'aria-label': 'Application',
          onChange: ({ target }: Event) => {
            const name = (target as HTMLSelectElement).value;
            const chosen = EXAMPLES.find((one) => one.name === name);
            if (chosen !== undefined) edit(chosen.program);
          },
        },
        EXAMPLES.map(({ name }) =>
          h('option', { value: name, selected: name === example.value.name }, name),
        ),
      ),
    ]);

  const renderEditor = () =>
    h('section', { class: 'pane editor', 'aria-label': 'Program' }, [
      h('p', { class: 'title', id: LABEL }, 'app.js'),
      h('div', { ref: pane, class: 'scroll vp-code' }, editor.value ? [] : renderProgram()),
    ]);

  /** Renders what the editor will show. */
  const renderProgram = () => [
    h(
      'div',
      { class: 'numbers', 'aria-hidden': 'true' },
      Array.from(program.value.split('\n'), (_, index) => index + 1).join('\n'),
    ),
    h(
      'pre',
      {
        tabindex: 0,
        role: 'textbox',
        'aria-labelledby': LABEL,
        'aria-multiline': 'true',
        'aria-readonly': 'true',
      },
      program.value,
    ),
  ];

  const renderReport = () =>
    h('section', { class: 'pane report', 'aria-label': 'Report' }, [
      h(
        'p',
        { class: ['title', outcome.value?.ending], role: 'status' },
        outcome.value ? SUMMARIES[outcome.value.ending] : 'The application is starting.',
      ),
      h('pre', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Output' }, [
        h(
          'code',
          report.value.map((parts, index) => [
            index === 0 ? '' : '\n',
            h(
              'span',
              { class: kindOf(parts.join('')) },
              parts.map((part) =>
                isPlace(part)
                  ? h(
                      'button',
                      { type: 'button', onClick: () => editor.value?.select(lineOf(part)) },
                      part,
                    )
                  : part,
              ),
            ),
          ]),
        ),
      ]),
    ]);

  return () =>
    h('div', { class: 'playground' }, [renderMistakes(), renderEditor(), renderReport()]);
});

function isPlace(part: string): boolean {
  return PLACE.test(part);
}

function lineOf(place: string): number {
  return Number(place.split(':')[1]);
}
