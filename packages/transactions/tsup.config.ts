import { buildConfig } from '@fairlead/test-support/tsup-config';

export default buildConfig({
  entry: [
    'src/index.ts',
    'src/pg.ts',
    'src/kysely.ts',
    'src/drizzle.ts',
    'src/prisma.ts',
    'src/store.ts',
    'src/redis.ts',
    'src/events.ts',
  ],
});
