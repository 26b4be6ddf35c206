import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspace } from './pages.ts';
import { CHART, drawSpeedChart } from './speed-chart.ts';

writeFileSync(join(workspace, CHART), drawSpeedChart());
console.log(`Wrote ${CHART}`);
