import type { Estimate } from './comparison.js';

/** One bar with its interval. */
interface Bar {
  readonly label: string;
  readonly value: Estimate;
}

/** The bars of one comparison. */
interface Panel {
  readonly title: string;
  readonly bars: readonly Bar[];
}

const PANEL_WIDTH = 600;
const LABEL_WIDTH = 245;
const BAR_WIDTH = 285;
const LINE = 20;
const TITLE = 34;
const HEADER = 40;

/**
 * Draws panels of horizontal bars in two columns. Each panel has a dashed line at 1.
 *
 * @param title - The text above all panels.
 * @param panels - At least one. An interval that ends far beyond the bars is cut off.
 * @returns An SVG document.
 */
export function drawChart(title: string, panels: readonly Panel[]): string {
  const height = TITLE + Math.max(...panels.map(({ bars }) => bars.length)) * LINE + 16;
  const columns = Math.min(2, panels.length);
  const width = columns * PANEL_WIDTH + 20;
  const total = HEADER + Math.ceil(panels.length / columns) * height;
  const drawn = panels.map((panel, index) => {
    const x = 10 + (index % columns) * PANEL_WIDTH;
    const y = HEADER + Math.floor(index / columns) * height;
    return `<g transform="translate(${x} ${y})">${drawPanel(panel)}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${total}" width="${width}" height="${total}" font-family="system-ui, sans-serif" font-size="12" role="img">`,
    `<title>${escapeXml(title)}</title>`,
    '<rect width="100%" height="100%" fill="#fff"/>',
    text(10, 26, title, 'font-size="16" font-weight="600"'),
    ...drawn,
    '</svg>\n',
  ].join('\n');
}

function drawPanel({ title, bars }: Panel): string {
  const most = Math.max(1, ...bars.map(({ value }) => value.median)) * 1.15;
  const at = (value: number) =>
    (LABEL_WIDTH + (Math.min(value, most) / most) * BAR_WIDTH).toFixed(1);
  const rows = bars.map(({ label, value }, index) => {
    const y = TITLE + index * LINE;
    const middle = y + LINE / 2 - 2;
    const length = (Number(at(value.median)) - LABEL_WIDTH).toFixed(1);
    return [
      text(LABEL_WIDTH - 8, middle + 4, label, 'text-anchor="end"'),
      `<rect x="${LABEL_WIDTH}" y="${y}" width="${length}" height="${LINE - 5}" fill="${colorOf(label)}"/>`,
      `<path d="M${at(value.low)} ${middle}H${at(value.high)}" stroke="#222" stroke-width="1.5"/>`,
      text(PANEL_WIDTH - 20, middle + 4, value.median.toFixed(2), 'text-anchor="end"'),
    ].join('\n');
  });
  const bottom = TITLE + bars.length * LINE;
  return [
    text(0, 18, title, 'font-weight="600"'),
    ...rows,
    `<path d="M${at(1)} ${TITLE - 6}V${bottom}" stroke="#222" stroke-dasharray="3 3"/>`,
  ].join('\n');
}

function colorOf(label: string): string {
  if (/fairlead|users-api/i.test(label)) return '#0a7d5a';
  return label.startsWith('raw') ? '#8a8f98' : '#9db7d9';
}

function text(x: number, y: number, content: string, attributes: string): string {
  return `<text x="${x}" y="${y}" ${attributes}>${escapeXml(content)}</text>`;
}

function escapeXml(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
