import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { workspace } from './pages.ts';
import {
  drawStartReport,
  escapeXml,
  PICTURES,
  printStartReport,
  REPORT,
  readLines,
} from './start-report.ts';

const read = (path: string) => readFileSync(join(workspace, path), 'utf8');

describe('the report of the front page', () => {
  let report: string;

  beforeAll(async () => {
    report = await printStartReport();
  });

  it('is what the program of README.md prints: run `pnpm --filter site report` after a change of either', () => {
    expect(read(REPORT)).toBe(report);
    expect(read(PICTURES.light)).toBe(drawStartReport(report, 'light'));
    expect(read(PICTURES.dark)).toBe(drawStartReport(report, 'dark'));
  });

  it('has five problems, each with its place in the program and a fix', () => {
    const problems = report.split(/^ {2}\d+\. /m).slice(1);
    expect(problems).toHaveLength(5);
    for (const problem of problems) {
      expect(problem).toMatch(/^ +At: src\/users\.ts:\d+:\d+$/m);
      expect(problem).toMatch(/^ +Fix: /m);
    }
  });

  it('is complete in the pictures, which load nothing', () => {
    const words = (text: string) => text.split(/\s+/).filter((word) => word !== '');
    for (const scheme of ['light', 'dark'] as const) {
      const svg = drawStartReport(report, scheme);
      const texts = [...svg.matchAll(/<text [^>]*>(.*)<\/text>/g)].map(([, text = '']) => text);
      const drawn = texts.flatMap(words).join(' ');
      expect(drawn).toBe(escapeXml(words(report).join(' ')));
      expect(Math.max(...texts.map((text) => text.length))).toBeLessThan(105);
      expect(svg).not.toMatch(/https?:(?!\/\/www\.w3\.org\/2000\/svg)|@import|url\(/);
    }
  });

  it('has no paths of the machine', () => {
    expect(report).not.toMatch(/(?:^|[\s(])\/(?!users)|file:|node_modules/);
    expect(readLines(report)[0]).toMatchObject({ kind: 'command' });
  });
});
