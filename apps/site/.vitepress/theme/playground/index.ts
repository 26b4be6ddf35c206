import { computed, defineComponent, h, onBeforeUnmount, onMounted, ref } from 'vue';
import { kindOf } from '../../../src/playground/lines.ts';
import {
  EXAMPLES,
  type Example,
  hasMistake,
  toggleMistake,
  VALUES,
} from '../../../src/playground/program.ts';
import { type Outcome, startProgram } from './start.ts';
import './style.css';

/** Milliseconds between the last key press and the start of the program. */
const PAUSE = 300;

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
  const editor = ref<HTMLTextAreaElement>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running = new AbortController();

  const start = async () => {
    running.abort();
    running = new AbortController();
    outcome.value = await startProgram(program.value, running.signal);
  };
  const change = (text: string, delay: number) => {
    program.value = text;
    clearTimeout(timer);
    timer = setTimeout(start, delay);
  };
  onMounted(start);
  onBeforeUnmount(() => {
    clearTimeout(timer);
    running.abort();
  });

  const lines = computed(() => program.value.split('\n'));
  /** The lines of the report, each of which alternates between text and places. */
  const report = computed(() =>
    (outcome.value?.output ?? '').split('\n').map((line) => line.split(PLACE)),
  );
  const reported = computed(
    () => new Set(report.value.flatMap((parts) => parts.filter(isPlace).map(lineOf))),
  );

  const select = (place: string) => {
    const line = lineOf(place);
    const from = lines.value.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0);
    editor.value?.focus();
    editor.value?.setSelectionRange(from, from + (lines.value[line - 1]?.length ?? 0));
    document.querySelector(`.playground .numbers :nth-child(${line})`)?.scrollIntoView({
      block: 'nearest',
    });
  };

  /** Scrolls the editor to a line, from 0, without scrolling the page. */
  const reveal = (line: number) => {
    const pane = editor.value?.closest('.scroll');
    if (pane)
      pane.scrollTop = (line / lines.value.length) * pane.scrollHeight - pane.clientHeight / 2;
  };

  /** Replaces the program with another application. */
  const choose = (name: string) => {
    const chosen = EXAMPLES.find((one) => one.name === name);
    if (chosen === undefined) return;
    example.value = chosen;
    change(chosen.program, 0);
  };

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
            onClick: () => {
              const before = lines.value;
              change(toggleMistake(program.value, mistake), 0);
              reveal(lines.value.findIndex((line, index) => line !== before[index]));
            },
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
          onClick: () => change(example.value.program, 0),
        },
        'Reset',
      ),
      h(
        'select',
        {
          'aria-label': 'Application',
          onChange: ({ target }: Event) => choose((target as HTMLSelectElement).value),
        },
        EXAMPLES.map(({ name }) =>
          h('option', { value: name, selected: name === example.value.name }, name),
        ),
      ),
    ]);

  const renderEditor = () =>
    h('section', { class: 'pane editor', 'aria-label': 'Program' }, [
      h('label', { class: 'title', for: 'playground-program' }, 'app.js'),
      h('div', { class: 'scroll' }, [
        h(
          'div',
          { class: 'numbers', 'aria-hidden': 'true' },
          lines.value.map((_, index) =>
            h('div', { class: { reported: reported.value.has(index + 1) } }, index + 1),
          ),
        ),
        h('textarea', {
          ref: editor,
          id: 'playground-program',
          value: program.value,
          rows: lines.value.length,
          cols: Math.max(...lines.value.map(({ length }) => length)) + 1,
          wrap: 'off',
          spellcheck: false,
          autocomplete: 'off',
          autocapitalize: 'off',
          onInput: ({ target }: InputEvent) => change((target as HTMLTextAreaElement).value, PAUSE),
        }),
      ]),
    ]);

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
                  ? h('button', { type: 'button', onClick: () => select(part) }, part)
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
