import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspace } from './pages.ts';
import { drawStartReport, PICTURES, printStartReport, REPORT } from './start-report.ts';

const report = await printStartReport();
writeFileSync(join(workspace, REPORT), report);
writeFileSync(join(workspace, PICTURES.light), drawStartReport(report, 'light'));
writeFileSync(join(workspace, PICTURES.dark), drawStartReport(report, 'dark'));
console.log(report);
