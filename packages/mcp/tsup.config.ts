import { buildConfig } from '@fairlead/test-support/tsup-config';

export default buildConfig();
